import { makeTerminalSafe } from '../../../shared/kernel/visible-text.ts'

/** Reads a line from the terminal; empty if the input ends. */
export async function askLine(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const left = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  const line = await Promise.race([lines.question(makeTerminalSafe(question)), left])
  lines.close()
  return line
}
