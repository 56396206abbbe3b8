/** The inputs of tools as a model is told of them. */
import { z } from 'zod'
import type { ToolSchema } from '../../../shared/agent-event.ts'
import type { AnyTool } from '../tool.ts'

export { parseInput } from './parse-input.ts'

/** Made once for a schema: the same bytes in every request, which a cached prefix depends on. */
const made = new WeakMap<z.ZodType, Record<string, unknown>>()

/** The tool's name, description and JSON Schema, as the Messages API takes them. */
export function toolSchemaOf(tool: Pick<AnyTool, 'name' | 'description' | 'schema'>): ToolSchema {
  return { name: tool.name, description: tool.description, input_schema: jsonSchemaOf(tool.schema) }
}

function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  const known = made.get(schema)
  if (known) return known
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      // Every whole number has these limits: they say nothing, in every request.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    },
  }) as Record<string, unknown>
  made.set(schema, json)
  return json
}
