/** A tool's input schema: as the model receives it, and as zod for the check of an input. */
import { z } from 'zod'
import type { ToolSchema } from '../../../shared/events/agent-event.ts'
import type { AnyTool, JsonSchema, ToolInputSchema } from '../ports/tool.ts'
import { type ModelFields, modelFields } from './model-fields.ts'

/** Converted once for each schema: the cached prefix depends on the same bytes in every request. */
const jsonSchemas = new WeakMap<z.ZodType, Record<string, unknown>>()
const zodSchemas = new WeakMap<JsonSchema, z.ZodType>()

/** The tool's name, description and JSON Schema, as the Messages API takes them, without these fields. */
export function toolSchemaOf(
  tool: Pick<AnyTool, 'name' | 'description' | 'schema' | 'shown' | 'source'>,
  hidden: readonly string[] = [],
): ToolSchema {
  const { name, description, source } = tool
  const schema = tool.shown?.schema ?? tool.schema
  const json = isZod(schema) ? jsonSchemaOf(schema) : { ...schema }
  return {
    name,
    description,
    input_schema: hidden.length === 0 ? json : asShown(json, { hidden }),
    ...(source === undefined ? {} : { source }),
  }
}

function isZod(schema: ToolInputSchema): schema is z.ZodType {
  return schema instanceof z.ZodType
}

/** A JSON Schema that zod can't express accepts any object: the tool's source checks the input again. */
export function zodSchemaOf<Input>(schema: ToolInputSchema<Input>): z.ZodType<Input> {
  if (isZod(schema)) return schema as z.ZodType<Input>
  const known = zodSchemas.get(schema) ?? convert(schema)
  zodSchemas.set(schema, known)
  return known as z.ZodType<Input>
}

function convert(schema: JsonSchema): z.ZodType {
  try {
    return z.fromJSONSchema({ type: 'object', ...schema })
  } catch {
    return z.looseObject({})
  }
}

function asShown(
  { properties, required, ...json }: Record<string, unknown>,
  fields: ModelFields | undefined,
): Record<string, unknown> {
  const entries = Object.entries(properties ?? {}).filter(([name]) => !fields?.hidden?.includes(name))
  const names = [...(Array.isArray(required) ? required : []), ...(fields?.required ?? [])]
  return {
    ...json,
    ...(properties === undefined ? {} : { properties: Object.fromEntries(entries) }),
    ...(names.length === 0 ? {} : { required: names }),
  }
}

const LIMITS = ['minimum', 'maximum', 'minLength', 'maxLength', 'maxItems', 'pattern'] as const

function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  const known = jsonSchemas.get(schema)
  if (known) return known
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      // Limits that a sensible call keeps anyway. The check of the input names the one that is broken.
      for (const limit of LIMITS) delete jsonSchema[limit]
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      if (jsonSchema.minItems === 1) delete jsonSchema.minItems
    },
  }) as Record<string, unknown>
  const shown = asShown(json, modelFields.get(schema))
  jsonSchemas.set(schema, shown)
  return shown
}
