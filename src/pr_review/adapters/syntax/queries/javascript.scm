; definitions and imports
(field_definition property: (_) @name
  value: [(arrow_function "=>" @head) (function_expression body: (_) @body)]) @function
(class_body (field_definition property: (_) @name) @value)

; uses
(formal_parameters [(identifier) (array_pattern)] @not)
