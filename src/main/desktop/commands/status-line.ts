/** Handlers for the status line. */
import type { StatusLine } from '../status-line/status-line.ts'
import type { HandlersOf } from './command-handlers.ts'

export interface StatusLineDeps {
  readonly statusLine: Pick<StatusLine, 'test'>
}

export function statusLineCommands({ statusLine }: StatusLineDeps): HandlersOf<'statusLine'> {
  return { 'statusLine.test': ({ command }) => statusLine.test(command) }
}
