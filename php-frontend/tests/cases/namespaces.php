<?php
namespace A\B {
    use C\D, \E as F; use function g\h; use const I\J as K; use L\{M, N as O, function p}; use function Q\{r, s,};
    const T = 1, U = T;
}
namespace {
    enum();
}
