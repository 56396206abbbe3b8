/** Judges the commands of test/attacks/harmless-commands.txt, which should need no permission. */
import { readFileSync } from 'node:fs'
import { ok } from '../../../../shared/kernel/result.ts'
import type { FileLook, PermissionDecision } from '../permission-concern.ts'
import { judgeCommand } from './judge.ts'

interface JudgedCommand {
  readonly command: string
  readonly decision: PermissionDecision
}

/** In the mode `default`, without rules and without the sandbox. */
export async function judgeHarmlessCommands(): Promise<readonly JudgedCommand[]> {
  const judged: JudgedCommand[] = []
  for (const command of harmlessCommands()) {
    const inFolder = command.replaceAll('/repo', '/clean')
    judged.push({ command, decision: await judgeCommand(inFolder, { agent: { root: '/clean' }, look }) })
  }
  return judged
}

/** One a line. A line that starts with a tab belongs to the command before it. */
function harmlessCommands(): readonly string[] {
  const file = new URL('../../../../../test/attacks/harmless-commands.txt', import.meta.url)
  return readFileSync(file, 'utf8')
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
  text: async () => null,
  findFile: async () => ok(null),
}
