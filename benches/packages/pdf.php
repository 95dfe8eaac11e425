<?php
// FPDF: pages with text, cells and lines.
require __DIR__ . '/support.php';
require 'fpdf.php';

repeat(25, function () {
    $pdf = new FPDF;
    $pdf->SetCompression(false);
    $pdf->SetCreator('none');
    for ($page = 1; $page <= 12; $page++) {
        $pdf->AddPage();
        $pdf->SetFont('Helvetica', 'B', 16);
        $pdf->Cell(0, 10, "Page $page", 1, 1, 'C');
        $pdf->SetFont('Times', '', 10);
        $pdf->MultiCell(0, 5, str_repeat("The quick brown fox jumps over the lazy dog number $page. ", 40));
        for ($row = 0; $row < 20; $row++) {
            $pdf->Cell(40, 6, "Cell $row", 'LR');
            $pdf->Cell(40, 6, number_format($row * 12.5, 2), 'LR', 1, 'R');
        }
        $pdf->Line(10, 280, 200, 280);
    }
    return preg_replace('/CreationDate.*/', '', $pdf->Output('S'));
});
