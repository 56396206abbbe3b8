import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ok } from '../../../shared/result.ts'
import type { FileLook } from './permission-concern.ts'
import { judgeCommand } from './testing/judge.ts'

/** The commands of a file, one a line. A line that starts with a tab belongs to the command before it. */
function commandsOf(file: string): readonly string[] {
  const text = readFileSync(new URL(`../../../../test/attacks/${file}`, import.meta.url), 'utf8')
  return text
    .split(/\n(?!\t)/)
    .filter((line) => line !== '' && !line.startsWith('# '))
    .map((command) => command.replaceAll('\n\t', '\n'))
}

const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  '/clean': ['src', 'lib', 'package.json', 'README.md', 'names.txt'],
  '/clean/src': ['main.ts', 'other.ts', 'main.test.ts'],
  '/clean/lib': ['a.ts'],
}

const look: FileLook = {
  names: async (path) => FOLDERS[path.replace(/\/$/, '')] ?? null,
  findFile: async () => ok(null),
}

it('asks about few harmless commands', async () => {
  const commands = commandsOf('harmless-commands.txt').map((command) => command.replaceAll('/repo', '/clean'))
  expect(commands.length).toBeGreaterThan(200)
  const asked: string[] = []
  for (const command of commands) {
    const decision = await judgeCommand(command, { agent: { root: '/clean' }, look })
    expect(decision.kind, command).not.toBe('deny')
    if (decision.kind !== 'allow') asked.push(`${command}: ${decision.because}`)
  }
  expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(commands.length * 0.065)
})
