/** A tool of a source that comes and goes, for tests: it reads, asks nobody, and answers with its name. */
import type { AnyTool } from '../ports/tool.ts'

/** @param more what differs */
export const addedTool = (name: string, more: Partial<AnyTool> = {}): AnyTool => ({
  name,
  aliases: [],
  description: `${name}.`,
  schema: { type: 'object', properties: { id: { type: 'string' } } },
  kind: 'read',
  icon: 'plug',
  concurrent: true,
  sideEffects: () => false,
  summary: () => '',
  target: async () => ({ kind: 'none' }),
  run: async () => ({ isError: false, content: `${name} ran`, note: '' }),
  ...more,
})

/** Deferred tools, and the names of those that ran, in order. `described`: descriptions by name. */
export function deferredTools(described: Readonly<Record<string, string>>): {
  readonly tools: readonly AnyTool[]
  readonly ran: readonly string[]
} {
  const ran: string[] = []
  const tools = Object.entries(described).map(([name, description]) =>
    addedTool(name, {
      description,
      deferred: true,
      run: async () => {
        ran.push(name)
        return { isError: false, content: `${name} ran`, note: '' }
      },
    }),
  )
  return { tools, ran }
}
