/** The real Claude Code as a subagent, through the whole runtime, with a scripted API instead of a model. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { eventsOf } from '../../../runtime/testing/scripts.ts'
import type { TaskScript } from './testing/foreign-api.ts'
import {
  calls,
  type ProgramRuntime,
  type ProgramRuntimeOptions,
  programRuntime,
  said,
} from './testing/program-runtime.ts'
import { realClaude, withClaude } from './testing/real-programs.ts'

let troupe: ProgramRuntime

afterEach(() => troupe.close())

const begin = async (tasks: TaskScript, options: ProgramRuntimeOptions = {}): Promise<string> => {
  troupe = await programRuntime(realClaude, tasks, options)
  return troupe.begin()
}

withClaude('Claude Code', () => {
  test('its last message is the report, and its name and version are shown', async () => {
    const id = await begin({ 'Do outside': [said('All is well.')] })
    const state = await troupe.ended(id)
    expect(state).toMatchObject({
      status: 'completed',
      report: 'All is well.',
      model: expect.stringMatching(/^Claude Agent 0\.100\.0/),
    })
    expect(state.costUsd).toBeGreaterThan(0)
    expect(troupe.api.requests).toHaveLength(1)
  })

  test('a command waits in the queue, and runs once it is allowed', async () => {
    const id = await begin({
      'Do outside': [
        calls('Bash', { command: 'echo done > made.txt', description: 'Makes a file' }),
        said('Made.'),
      ],
    })
    const { requestId, subject } = await troupe.when('permission-asked')
    expect(subject).toMatchObject({ kind: 'command', text: 'echo done > made.txt' })
    await expect(readFile(join(troupe.folder, 'made.txt'))).rejects.toThrow()
    const request = { conversationId: id, agentId: troupe.childId(), requestId }
    await troupe.runtime.dispatch({ type: 'agent.answer', ...request, answer: { decision: 'allow-once' } })
    expect(await troupe.ended(id)).toMatchObject({ report: 'Made.' })
    expect(await readFile(join(troupe.folder, 'made.txt'), 'utf8')).toBe('done\n')
    expect(eventsOf(troupe, troupe.childId()).some(({ type }) => type === 'tool-ended')).toBe(true)
  })

  test('a denied command does not run, and the program hears why', async () => {
    const id = await begin({
      'Do outside': [
        calls('Bash', { command: 'echo done > made.txt', description: 'Makes a file' }),
        said('No.'),
      ],
    })
    const { requestId } = await troupe.when('permission-asked')
    const request = { conversationId: id, agentId: troupe.childId(), requestId }
    await troupe.runtime.dispatch({
      type: 'agent.answer',
      ...request,
      answer: { decision: 'deny', feedback: 'Not now' },
    })
    await troupe.ended(id)
    await expect(readFile(join(troupe.folder, 'made.txt'))).rejects.toThrow()
    const notices = eventsOf(troupe, troupe.childId()).filter(({ type }) => type === 'notice')
    expect(JSON.stringify(notices)).toContain('Not now')
  })

  test('a rule allows a change of a file, which the transcript shows as a difference', async () => {
    const file = { file_path: '', content: 'one\ntwo\n' }
    const id = await begin({ 'Do outside': [calls('Write', file), said('Written.')] }, { rules: ['Edit'] })
    file.file_path = join(troupe.folder, 'notes.txt')
    expect(await troupe.ended(id)).toMatchObject({ status: 'completed', report: 'Written.' })
    expect(troupe.events.some(({ type }) => type === 'permission-asked')).toBe(false)
    const ended = eventsOf(troupe, troupe.childId()).find((event) => event.type === 'tool-ended')
    expect(ended).toMatchObject({
      isError: false,
      display: { kind: 'diff', path: file.file_path, added: 2, created: true },
    })
    expect(await readFile(file.file_path, 'utf8')).toBe('one\ntwo\n')
  })

  test('a killed program fails its agent, and the conversation goes on', async () => {
    const id = await begin({
      'Do outside': [calls('Bash', { command: 'touch made.txt', description: 'Makes a file' }), said('No.')],
    })
    await troupe.when('permission-asked')
    const [pid] = await troupe.pids()
    // The adapter and Claude Code itself, at least.
    expect((await troupe.running()).length).toBeGreaterThan(1)
    process.kill(pid ?? 0, 'SIGKILL')
    const { status, failure } = await troupe.ended(id)
    expect(status).toBe('failed')
    expect(failure?.message).toContain('Its last output:')
    expect(troupe.model.requests).toHaveLength(2)
    await expect.poll(troupe.running).toEqual([])
  })
})
