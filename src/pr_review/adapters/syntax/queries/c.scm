; definitions and imports
(function_definition declarator: (function_declarator declarator: (identifier) @name) body: (_) @body) @function
(function_definition declarator: (pointer_declarator
  declarator: (function_declarator declarator: (identifier) @name)) body: (_) @body) @function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator
  declarator: (function_declarator declarator: (identifier) @name))) body: (_) @body) @function
(preproc_function_def name: (_) @name parameters: (_) @head) @function
(type_definition type: (_ body: (_) @body) declarator: (type_identifier) @name) @type
(type_definition declarator: (type_identifier) @name) @type
(type_definition declarator: (pointer_declarator declarator: (type_identifier) @name)) @type
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator
  (pointer_declarator declarator: (type_identifier) @name)))) @type
(struct_specifier name: (_) @name body: (_) @body) @type
(union_specifier name: (_) @name body: (_) @body) @type
(enum_specifier name: (_) @name body: (_) @body) @type
(enumerator name: (_) @name) @value
(preproc_def name: (_) @name value: (_)) @value

(translation_unit (declaration declarator: (init_declarator declarator: [
  (identifier) @name (pointer_declarator declarator: (identifier) @name)
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))])) @value)
(translation_unit (declaration declarator: [
  (identifier) @name (pointer_declarator declarator: (identifier) @name)
  (array_declarator declarator: (identifier) @name)]) @value)
(preproc_ifdef (declaration declarator: (init_declarator declarator: [
  (identifier) @name (pointer_declarator declarator: (identifier) @name)
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))])) @value)

(preproc_include path: (string_literal (string_content) @module) (#set! prefix "./") (#set! alias "none"))
(preproc_include path: (system_lib_string) @module (#set! alias "none"))

; uses
(preproc_include) @not
(preproc_def) @not
(preproc_function_def) @not
(function_declarator declarator: (identifier) @not)
(pointer_declarator declarator: [(identifier) (type_identifier)] @not)
(array_declarator declarator: (identifier) @not)
(init_declarator declarator: (identifier) @not)
(declaration declarator: (identifier) @not)
(parameter_declaration declarator: (identifier) @not)
(type_definition declarator: (type_identifier) @not)
(struct_specifier name: (_) @not body: (_))
(union_specifier name: (_) @not body: (_))
(enum_specifier name: (_) @not body: (_))
(enumerator name: (_) @not)

(call_expression function: (identifier) @call)
(call_expression function: (field_expression argument: (_) @qualifier field: (field_identifier) @call))
(field_expression argument: (_) @qualifier field: (field_identifier) @ref)
(type_identifier) @ref
(identifier) @ref
