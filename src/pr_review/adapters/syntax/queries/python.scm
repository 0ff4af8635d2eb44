; definitions and imports
(decorated_definition definition: (function_definition name: (identifier) @name ":" @head)) @function
(decorated_definition definition: (class_definition name: (identifier) @name ":" @head)) @type
(function_definition name: (identifier) @name ":" @head) @function
(class_definition name: (identifier) @name ":" @head) @type
(type_alias_statement left: (type (identifier) @name)) @type
(assignment left: (identifier) @name right: (lambda)) @function

(module (expression_statement (assignment left: (identifier) @name) @value))
(module (expression_statement (assignment left: (pattern_list (identifier) @name)) @value))
(module (if_statement consequence: (block (expression_statement (assignment left: (identifier) @name) @value))))
(module (if_statement alternative: [
  (else_clause body: (block (expression_statement (assignment left: (identifier) @name) @value)))
  (elif_clause consequence: (block (expression_statement (assignment left: (identifier) @name) @value)))]))
(module (try_statement body: (block (expression_statement (assignment left: (identifier) @name) @value))))
(module (try_statement [
  (except_clause (block (expression_statement (assignment left: (identifier) @name) @value)))
  (else_clause body: (block (expression_statement (assignment left: (identifier) @name) @value)))
  (finally_clause (block (expression_statement (assignment left: (identifier) @name) @value)))]))
(module (with_statement body: (block (expression_statement (assignment left: (identifier) @name) @value))))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @value)))

(import_statement name: (dotted_name) @module (#set! alias "module"))
(import_statement name: (aliased_import name: (_) @module alias: (_) @alias))
(import_from_statement module_name: (_) @module name: (dotted_name) @taken)
(import_from_statement module_name: (_) @module
  name: (aliased_import name: (_) @taken alias: (_) @alias))
(import_from_statement module_name: (_) @module (wildcard_import) @at (#set! name "*"))

; uses
(import_statement) @not
(import_from_statement) @not
(future_import_statement) @not
(function_definition name: (_) @not)
(class_definition name: (_) @not)
(parameters [(identifier) (list_splat_pattern) (dictionary_splat_pattern)] @not)
(lambda_parameters [(identifier) (list_splat_pattern) (dictionary_splat_pattern)] @not)
(default_parameter name: (_) @not)
(typed_parameter . (_) @not)
(typed_default_parameter name: (_) @not)
(keyword_argument name: (_) @not)
(keyword_pattern . (identifier) @not)
(assignment left: (identifier) @not)
(assignment left: (pattern_list (identifier) @not))
(assignment left: (tuple_pattern (identifier) @not))
(named_expression name: (_) @not)
(for_statement left: (_) @not)
(for_in_clause left: (_) @not)
(as_pattern_target) @not
(global_statement) @not
(nonlocal_statement) @not

(call function: (identifier) @call)
(call function: (attribute object: (_) @qualifier attribute: (identifier) @call))
(attribute object: (_) @qualifier attribute: (identifier) @ref)
(dotted_name (identifier) @ref)
(identifier) @ref
