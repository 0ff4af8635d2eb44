; definitions and imports
(export_statement (function_declaration name: (_) @name body: (_) @body)) @function
(export_statement (generator_function_declaration name: (_) @name body: (_) @body)) @function
(export_statement (class_declaration name: (_) @name body: (_) @body)) @type
(export_statement (lexical_declaration . (variable_declarator name: (identifier) @name
  value: [(arrow_function "=>" @head) (function_expression body: (_) @body)
          (generator_function body: (_) @body)]) .)) @function
(export_statement (lexical_declaration . (variable_declarator name: (identifier) @name
  value: (class body: (_) @body)) .)) @type
(export_statement (lexical_declaration . (variable_declarator name: (identifier) @name
  value: (call_expression arguments: (arguments .
    [(arrow_function "=>" @head) (function_expression body: (_) @body)]))) .)) @function
(export_statement value: [(function_expression body: (_) @body) (arrow_function "=>" @head)]
  (#set! name "default")) @function
(export_statement value: (class body: (_) @body) (#set! name "default")) @type
(export_statement "default" value: [(object) (call_expression) (identifier) (new_expression)]
  (#set! name "default")) @value
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name))) @value
(export_statement (variable_declaration (variable_declarator name: (identifier) @name))) @value

(function_declaration name: (_) @name body: (_) @body) @function
(generator_function_declaration name: (_) @name body: (_) @body) @function
(class_declaration name: (_) @name body: (_) @body) @type
(method_definition name: (_) @name body: (_) @body) @function
(lexical_declaration . (variable_declarator name: (identifier) @name
  value: [(arrow_function "=>" @head) (function_expression body: (_) @body)
          (generator_function body: (_) @body)]) .) @function
(variable_declarator name: (identifier) @name
  value: [(arrow_function "=>" @head) (function_expression body: (_) @body)
          (generator_function body: (_) @body)]) @function
(lexical_declaration . (variable_declarator name: (identifier) @name
  value: (class body: (_) @body)) .) @type
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @type
(lexical_declaration . (variable_declarator name: (identifier) @name
  value: (call_expression arguments: (arguments .
    [(arrow_function "=>" @head) (function_expression body: (_) @body)]))) .) @function
(pair key: (_) @name value: [(arrow_function "=>" @head) (function_expression body: (_) @body)]) @function
(expression_statement (assignment_expression
  left: [(identifier) @name (member_expression property: (_) @name)]
  right: [(arrow_function "=>" @head) (function_expression body: (_) @body)])) @function
(expression_statement (assignment_expression
  left: [(identifier) @name (member_expression property: (_) @name)]
  right: (class body: (_) @body))) @type

(program (lexical_declaration (variable_declarator name: (identifier) @name)) @value)
(program (lexical_declaration (variable_declarator name: (_ [
  (shorthand_property_identifier_pattern) @name (pair_pattern value: (identifier) @name)]))) @value)
(program (variable_declaration (variable_declarator name: (identifier) @name)) @value)
(program (expression_statement (assignment_expression
  left: (member_expression object: (_) @object property: (_) @name)
  (#match? @object "^(module\\.)?exports$"))) @value)

(import_statement (import_clause (identifier) @alias) source: (string (string_fragment) @module)
  (#set! name "default"))
(import_statement (import_clause (namespace_import (identifier) @alias))
  source: (string (string_fragment) @module))
(import_statement (import_clause (named_imports (import_specifier !alias name: (_) @taken)))
  source: (string (string_fragment) @module))
(import_statement (import_clause (named_imports (import_specifier name: (_) @taken alias: (_) @alias)))
  source: (string (string_fragment) @module))
(import_statement source: (string (string_fragment) @module))
(export_statement (namespace_export (_) @alias) source: (string (string_fragment) @module))
(export_statement (export_clause (export_specifier !alias name: (_) @taken))
  source: (string (string_fragment) @module))
(export_statement (export_clause (export_specifier name: (_) @taken alias: (_) @alias))
  source: (string (string_fragment) @module))
(export_statement "*" source: (string (string_fragment) @module) (#set! name "*"))
(variable_declarator name: (identifier) @alias value: [
  (call_expression function: (identifier) @require
    arguments: (arguments . (string (string_fragment) @module)))
  (member_expression object: (call_expression function: (identifier) @require
    arguments: (arguments . (string (string_fragment) @module))) property: (_) @taken)]
  (#eq? @require "require"))
(variable_declarator name: (object_pattern [
    (shorthand_property_identifier_pattern) @taken
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @taken)
    (pair_pattern key: (_) @taken value: (identifier) @alias)])
  value: (call_expression function: (identifier) @require
    arguments: (arguments . (string (string_fragment) @module)))
  (#eq? @require "require"))
(variable_declarator name: (identifier) @alias value: (await_expression
  (call_expression function: (import) arguments: (arguments . (string (string_fragment) @module)))))
(variable_declarator name: (object_pattern [
    (shorthand_property_identifier_pattern) @taken
    (pair_pattern key: (_) @taken value: (identifier) @alias)])
  value: (await_expression
    (call_expression function: (import) arguments: (arguments . (string (string_fragment) @module)))))
(call_expression function: (identifier) @require
  arguments: (arguments . (string (string_fragment) @module)) (#eq? @require "require"))
(call_expression function: (import) arguments: (arguments . (string (string_fragment) @module)))

; uses
(import_statement) @not
(export_specifier alias: (_) @not)
(export_statement source: (_)) @not
(function_declaration name: (_) @not)
(function_expression name: (_) @not)
(generator_function_declaration name: (_) @not)
(class_declaration name: (_) @not)
(class name: (_) @not)
(variable_declarator name: [(identifier) (array_pattern)] @not)
(arrow_function parameter: (_) @not)
(catch_clause parameter: (_) @not)
(for_in_statement left: (identifier) @not)
(pair_pattern value: (identifier) @not)
(assignment_pattern left: (identifier) @not)
(rest_pattern (identifier) @not)

(call_expression function: (identifier) @call)
(call_expression function: (member_expression object: (_) @qualifier property: (_) @call))
(new_expression constructor: (identifier) @call)
(new_expression constructor: (member_expression object: (_) @qualifier property: (_) @call))
(member_expression object: (_) @qualifier property: (_) @ref)
(shorthand_property_identifier) @ref
(identifier) @ref
