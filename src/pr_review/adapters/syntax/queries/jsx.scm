; definitions and imports

; uses
((jsx_opening_element name: (identifier) @not) (#match? @not "^[a-z]"))
((jsx_self_closing_element name: (identifier) @not) (#match? @not "^[a-z]"))
(jsx_closing_element) @not
