/** An attempt at a test case, one at a time, in a small repository: its cost above that of its agent alone. */
import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startScriptedServer } from '../src/main/features/rehearsal/feature.ts'
import { composeRuntime } from '../src/main/features.ts'
import type { LoadedDefinition } from '../src/main/runtime/ports/definitions.ts'
import { plainDefinition } from '../src/shared/agent-definition/agent-definition.ts'
import type { Result } from '../src/shared/kernel/result.ts'
import { defaultSettings } from '../src/shared/settings/settings.ts'
import { type Figure, median, pairedDifferences } from './figure.ts'
import { inFreshFolders, root } from './troupe.ts'

const PAIRS = 30
const WARM = 3
const TARGET = 50

const DEFINITION = '---\nname: reviewer\ndescription: Reviews.\nmodel: haiku\n---\nBe short.\n'
const CASE = 'task: Review it.\nchecks:\n  - report-contains: hello\n  - files-unchanged: "**"\n'

export function measure(): Promise<readonly Figure[]> {
  return inFreshFolders({}, async ({ folder, home, userHome }) => {
    await fill(folder)
    const director = { reply: async () => ({ blocks: [{ type: 'text' as const, text: 'hello' }] }) }
    const server = await startScriptedServer({ director, pace: 0, keepRequests: 0 })
    const program = await composeRuntime({
      ...{ dataFolder: home, home: userHome, environment: { PATH: process.env['PATH'] } },
      settings: { current: { ...defaultSettings, trustedFolders: [folder], maxParallelAgents: 1 } },
      agentsFolder: join(root, 'agents'),
      docsFolder: join(root, 'docs'),
      managedSettings: [],
      rehearsal: { pace: 0, scenarioFile: null },
    })
    await program.switchAccess({ kind: 'api', key: server.apiKey, baseUrl: server.baseUrl })
    const { runtime, agentTests } = program

    const definition: LoadedDefinition = {
      ...plainDefinition('reviewer', 'Reviews.'),
      ...{ prompt: 'Be short.', model: 'haiku', source: 'project', file: null },
    }
    const agentAlone = async (): Promise<number> => {
      const begun = performance.now()
      const { id } = unwrapped(await runtime.tryOut({ folder, definition, effort: null, thinking: null }))
      const sent = {
        type: 'conversation.send',
        conversationId: id,
        agentId: null,
        content: 'Review it.',
      } as const
      unwrapped(await runtime.dispatch(sent))
      await runtime.settled(id)
      await runtime.endTrial(id)
      return performance.now() - begun
    }
    /** Of a run that is under way, the time from the end of its first attempt to that of its second. */
    const attempt = async (): Promise<number> => {
      const ends: number[] = []
      const stop = agentTests.runs.watch((progress) => {
        if (progress.attempts.some(({ state }) => state === 'passed')) ends.push(performance.now())
      })
      const base = { type: 'in-use' as const }
      const { runId } = unwrapped(
        await agentTests.begin({
          ...{ folder, agent: 'reviewer', caseFiles: [], attempts: 2, isFresh: true },
          ...{ maxUsd: null, stopsWhenClear: false },
          versions: [{ base, model: null, effort: null, skill: null }],
        }),
      )
      await agentTests.runs.ended(runId)
      stop()
      return (ends[1] ?? Number.NaN) - (ends[0] ?? Number.NaN)
    }

    const [alone, whole]: [number[], number[]] = [[], []]
    for (let pair = -WARM; pair < PAIRS; pair++) {
      const [one, other] = [await agentAlone(), await attempt()]
      if (pair < 0) continue
      alone.push(one)
      whole.push(other)
    }
    await program.close()
    await server.close()
    const above = pairedDifferences(whole, alone)
    return [
      {
        name: 'An attempt at a test case above its agent alone: its folder, its checks and its end, 60 files',
        unit: 'ms',
        runs: above,
        reference: { name: 'the agent alone', runs: alone },
        target: `≤ ${TARGET} ms`,
        met: median(above) <= TARGET,
      },
    ]
  })
}

async function fill(folder: string): Promise<void> {
  for (let at = 0; at < 60; at++) {
    const path = join(folder, 'src', `part-${at % 6}`, `file-${at}.ts`)
    await mkdir(join(path, '..'), { recursive: true })
    await writeFile(path, `export const value = ${at}\n`.repeat(40))
  }
  const files = { '.claude/agents/reviewer.md': DEFINITION, '.claude/agent-tests/reviewer/hello.yaml': CASE }
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...words], { cwd: folder })
  git('init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'First')
}

function unwrapped<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.failure.message)
  return result.value
}
