/** Prompt tokens at full price, and tokens that a fork reads from its parent's cache, counted by the simulated cache. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Director, ScriptedBlock } from '../src/main/features/rehearsal/director.ts'
import { realTroupe } from '../src/main/testing/real-troupe.ts'
import type { AgentEvent, Usage } from '../src/shared/events/agent-event.ts'
import { type Figure, median } from './figure.ts'
import { root } from './troupe.ts'

const TURNS = 20
const RUNS = 3

export async function measure(): Promise<readonly Figure[]> {
  const paid: number[] = []
  const least: number[] = []
  const shared: number[] = []
  for (let run = 0; run < RUNS; run++) {
    const { main, fork } = await usagesOf()
    const all = main.reduce((sum, usage) => sum + requestOf(usage), 0)
    paid.push((100 * main.reduce((sum, { input, cacheWrite }) => sum + input + cacheWrite, 0)) / all)
    // Every token must be paid once: the last prompt contains all of them.
    least.push((100 * Math.max(...main.map(requestOf))) / all)
    const [first] = fork
    const before = main.at(TURNS - 1)
    if (!first || !before) throw new Error('There was no fork.')
    shared.push((100 * first.cacheRead) / requestOf(before))
  }
  return [
    {
      name: `prompt tokens of an agent with ${TURNS} turns at full price (uncached)`,
      unit: '%',
      runs: paid,
      reference: { name: 'each token once', runs: least },
      target: '≤ 15 %',
      met: median(paid) <= 15,
    },
    {
      name: `a fork’s first request: share of its parent’s ${TURNS} turns read from the cache`,
      unit: '%',
      runs: shared,
      target: '≥ 95 %',
      met: median(shared) >= 95,
    },
  ]
}

const requestOf = ({ input, cacheRead, cacheWrite }: Usage): number => input + cacheRead + cacheWrite

async function usagesOf(): Promise<{ readonly main: readonly Usage[]; readonly fork: readonly Usage[] }> {
  const troupe = await realTroupe(director, {}, { keepRequests: 0, program: join(root, 'out', 'cli.mjs') })
  try {
    const agents = join(troupe.folder, '.claude', 'agents')
    await mkdir(agents, { recursive: true })
    await writeFile(join(agents, 'forker.md'), FORKER)
    await writeFile(join(troupe.folder, 'file.txt'), 'A line of a file that is read.\n'.repeat(60))
    const running = troupe.start(['run', 'Go', '--json', '--permission-mode', 'bypassPermissions'])
    const { code, errors } = await running.ended
    if (code !== 0) throw new Error(errors)
    const isMain = new Map(
      running.events.flatMap((event) =>
        event.type === 'agent-spawned' ? [[event.agentId, event.parentId === null] as const] : [],
      ),
    )
    const of = (main: boolean) =>
      running.events.flatMap((event: AgentEvent) =>
        event.type === 'assistant-message' && isMain.get(event.agentId) === main ? [event.usage] : [],
      )
    return { main: of(true).slice(0, TURNS), fork: of(false) }
  } finally {
    await troupe.close()
  }
}

const FORKER = '---\nname: forker\ndescription: Continues from here.\nforkContext: true\n---\nContinue.\n'

/** Reads the file turn by turn, and starts a fork in its last turn. */
const director: Director = {
  reply: async ({ messages }) => {
    const isFork = messages.some(({ content }) =>
      content.some((block) => block.type === 'text' && /Continue alone\./.test(block.text)),
    )
    const said = messages.filter(({ role }) => role === 'assistant').length
    if (isFork || said >= TURNS) return { blocks: [{ type: 'text', text: 'Done.' }] }
    const next: ScriptedBlock =
      said === TURNS - 1
        ? {
            type: 'tool_use',
            name: 'Agent',
            input: { description: 'go on', prompt: 'Continue alone.', subagent_type: 'forker' },
          }
        : { type: 'tool_use', name: 'Bash', input: { command: `cat file.txt; echo ${said}` } }
    return { blocks: [{ type: 'text', text: `Turn ${said}: I read on. ${'And on. '.repeat(20)}` }, next] }
  },
}
