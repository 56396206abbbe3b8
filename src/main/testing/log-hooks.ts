/** Hooks of a home folder that only log what they receive. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hookEvents } from '../../shared/hooks/hooks.ts'

/** @returns reads the events that the hooks received from one agent, in order */
export async function logHooks(home: string): Promise<(agentId: string) => Promise<readonly string[]>> {
  const log = join(home, 'hooks.jsonl')
  const hooks = Object.fromEntries(
    hookEvents.map((event) => [event, [{ hooks: [{ type: 'command', command: `cat >> ${log}` }] }]]),
  )
  await mkdir(join(home, '.claude'), { recursive: true })
  await writeFile(join(home, '.claude', 'settings.json'), JSON.stringify({ hooks }))
  return async (agentId) => {
    const lines = (await readFile(log, 'utf8')).trim().split('\n')
    const inputs = lines.map((line) => JSON.parse(line)).filter((input) => input.agent_id === agentId)
    return inputs.map((input) => String(input.hook_event_name))
  }
}

/** Of an agent that makes this number of calls in a worker. */
export const hooksOfWorker = (calls: number): readonly string[] => [
  'SubagentStart',
  ...Array.from({ length: calls }, () => ['PreToolUse', 'PostToolUse']).flat(),
  'SubagentStop',
]
