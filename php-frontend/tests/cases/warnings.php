<?php
declare(encoding='x');
echo "a
\777";
