/** Positions in a text as line and column, both from 1. */
import type { Diagnostic } from './agent-definition.ts'

/** Lines are found on first use. */
export function sourcePositions(text: string): {
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
