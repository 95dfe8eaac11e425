<?php
echo 1; // ?>
<?php __halt_compiler() ?>
<?php ( anything "goes
