/** Places in a text as people count them: line and column from 1. */
import type { Diagnostic } from './agent-definition.ts'

/** Lines are looked for only when the first place is asked for. */
export function sourcePlaces(text: string): {
  at(from: number, to: number): Pick<Diagnostic, 'line' | 'column' | 'from' | 'to'>
} {
  return {
    at(from, to) {
      const before = text.slice(text.startsWith('\uFEFF') ? 1 : 0, from)
      const line = before.split('\n').length
      return {
        line,
        column: before.length - (before.lastIndexOf('\n') + 1) + 1,
        from,
        to: Math.max(from, to),
      }
    },
  }
}
