<?php
$magicWords = [];
$magicWords['en'] = [ 'disambiguation' => [ 0, '__DISAMBIG__' ] ];
