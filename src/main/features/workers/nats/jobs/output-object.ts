import { createHash } from 'node:crypto'

/** The name of a tool's large output in the object store. */
export function outputObject(agentId: string, path: string): string {
  return `output-${agentId}-${createHash('sha256').update(path).digest('hex')}`
}
