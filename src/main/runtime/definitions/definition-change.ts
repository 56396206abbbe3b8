/** Whether an agent's definition is another one by now than it was started with. */
import type { LoadedDefinition } from '../ports.ts'
import { digestOf } from '../tools/content-digest.ts'

/** Of all that it says; where its file lies does not count. */
export function digestOfDefinition({ file: _, ...definition }: LoadedDefinition): string {
  return digestOf(new TextEncoder().encode(JSON.stringify(definition))) ?? ''
}
