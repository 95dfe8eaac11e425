<?php
// Runs programs, each in a process of its own that is forked here, and tells between them how they ended.
foreach (array_slice($argv, 1) as $file) {
    if (($child = pcntl_fork()) === 0) {
        pcntl_alarm(10);
        unset($argv, $argc, $child);
        include $file;
        exit;
    }
    pcntl_waitpid($child, $status);
    echo "\n=====ended ", pcntl_wifsignaled($status) ? 'signal ' . pcntl_wtermsig($status) : 'status ' . pcntl_wexitstatus($status), "\n";
}
