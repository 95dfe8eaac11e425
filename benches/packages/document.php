<?php
/** A Markdown document of some chapters. */
function markdown_document(int $chapters): string
{
    $text = '';
    for ($i = 1; $i <= $chapters; $i++) {
        $text .= <<<MD
            # Chapter $i

            A paragraph with *emphasis*, **strong words**, `code $i`, a [link](http://example.org/$i "title")
            and an ![image](image$i.png). It goes on over lines, with <b>html</b> & entities &copy; here.

            * first item of list $i
            * second item
                * nested item with **bold**
                * another one
            * third

            1. one
            2. two
            3. three

            > A quote that has *two*
            > lines of text.

            ```php
            <?php echo "Hello $i";
            \$x = [1, 2, 3];
            ```

            | a | b | c |
            |---|:-:|--:|
            | 1 | 2 | $i |
            | x | y | ~~z~~ |

            Term with www.example.com/$i and trailing text.  
            A hard break, then a line.

            ---


            MD;
    }
    return $text;
}
