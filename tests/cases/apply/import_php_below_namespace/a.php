<?php

declare(strict_types=1);

namespace App;

function f()
{
    return 1;
}
