import { execFileSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { unwrap } from '../../platform/transcripts/testing/open-store.ts'
import { type RealTroupe, type RunningTroupe, realTroupe } from '../../testing/real-troupe.ts'
import { loadScenario } from '../rehearsal/scenario.ts'

const KEY = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz012345'

/** The texts have braces of templates, and paths of the folder; two agents have the same prompt. */
const ORIGINAL = `
steps:
  - agent: /main agent/
    turn: 1
    reply:
      - thinking: Three places.
      - text: "I keep {{'{{'}}task}} as it is."
      - tool: Agent
        input: { description: Read the notes, prompt: "Read {{folder}}/notes.txt (all of it).", subagent_type: Explore }
      - tool: Agent
        repeat: 2
        input: { description: Count, prompt: "Count the lines.", subagent_type: Explore }
  - agent: /main agent/
    reply: All have reported.
  - agent: /notes\\.txt \\(all/
    turn: 1
    reply:
      - tool: Read
        input: { file_path: "{{folder}}/notes.txt" }
  - agent: /notes\\.txt \\(all/
    reply: "The notes in {{folder}} name ${KEY}."
  - agent: Count the lines.
    turn: 1
    reply:
      - tool: Grep
        input: { pattern: line, path: "{{folder}}" }
  - agent: Count the lines.
    reply: There are two lines.
`

let troupe: RealTroupe
beforeEach(async () => {
  troupe = await realTroupe(unwrap(loadScenario(ORIGINAL)))
})
afterEach(() => troupe.close())

/** A repository with the notes, always at the same commit. */
async function repository(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'notes.txt'), 'line one\nline two\n')
  const date = '2026-01-01T00:00:00Z'
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
    })
  git('init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'Notes')
  return git('rev-parse', 'HEAD').trim()
}

/** What agents called, in any order, and what they reported; the folder reads FOLDER. */
function workOf(events: readonly AgentEvent[], folder: string) {
  const text = (value: unknown) => JSON.stringify(value).replaceAll(folder, 'FOLDER')
  const calls = events.flatMap((event) =>
    event.type === 'tool-started' ? [text([event.name, event.input])] : [],
  )
  const ends = events.flatMap((event) =>
    event.type === 'tool-ended' && event.name !== 'Agent'
      ? [text([event.name, event.isError, event.content])]
      : [],
  )
  const reports = events.flatMap((event) => (event.type === 'agent-ended' ? [text(event.report)] : []))
  const said = events.flatMap((event) => (event.type === 'assistant-message' ? event.content : []))
  const texts = said.flatMap((block) =>
    block.type === 'text' || block.type === 'thinking' ? [text(block)] : [],
  )
  return { calls: calls.sort(), ends: ends.sort(), reports: reports.sort(), texts: texts.length }
}

async function ended(run: RunningTroupe) {
  const { code, result, errors } = await run.ended
  expect(code, errors).toBe(0)
  return { result, errors }
}

test('a recorded run is played again elsewhere: the same calls with the same results, and the same reports', async () => {
  const commit = await repository(troupe.folder)
  const recording = troupe.start(['run', 'Look around', '--json', '--permission-mode', 'acceptEdits'])
  const { result } = await ended(recording)
  const original = workOf(recording.events, troupe.folder)
  expect(original.calls).toHaveLength(6)
  expect(original.reports.join()).toContain(KEY)

  const file = join(troupe.base, 'bug.yaml')
  await ended(troupe.start(['export', result?.conversationId ?? '', '--scenario', file]))
  const text = await readFile(file, 'utf8')
  expect(text).not.toContain(KEY)
  expect(text).not.toContain(troupe.folder)
  expect(text).toContain('task: Look around')
  const recorded = /^commit: "?([0-9a-f]+)"?$/m.exec(text)?.[1] ?? 'none'
  expect(commit.startsWith(recorded)).toBe(true)

  const other = join(troupe.base, 'clone')
  await repository(other)
  const replay = troupe.start(['run', '--scenario', file, '--json', '--trust', '--cwd', other])
  const { errors } = await ended(replay)
  const masked = (parts: readonly string[]) => parts.map((part) => part.replaceAll(KEY, '[secret]'))
  expect(workOf(replay.events, other)).toEqual({ ...original, reports: masked(original.reports) })
  expect(JSON.stringify(replay.events)).toContain('I keep {{task}} as it is.')
  expect(errors).toBe('')
})

test('says when the folder is at another commit, and when a scenario has no task', async () => {
  await writeFile(
    join(troupe.base, 'recorded.yaml'),
    'task: Look\ncommit: "0123456"\nsteps:\n  - reply: Done.\n',
  )
  await writeFile(join(troupe.base, 'plain.yaml'), 'steps:\n  - reply: Done.\n')
  const commit = await repository(troupe.folder)
  const { errors } = await ended(
    troupe.start(['run', '--scenario', join(troupe.base, 'recorded.yaml'), '--json']),
  )
  expect(errors).toContain(`recorded at commit 0123456, and this folder is at ${commit.slice(0, 7)}`)
  const plain = await troupe.start(['run', '--scenario', join(troupe.base, 'plain.yaml')]).ended
  expect(plain.code).toBe(2)
  expect(plain.errors).toContain('This scenario has no task of its own.')
})
