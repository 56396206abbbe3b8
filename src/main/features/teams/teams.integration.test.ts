/** A team in a process of its own, which is killed in the middle and started again. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../platform/transcripts/testing/temp-folder.ts'
import { createTaskFiles } from './tasks/task-files.ts'

/** Starts the program and calls `line` for each line of its output. */
function start(args: readonly string[], line: (text: string, child: ChildProcessWithoutNullStreams) => void) {
  const program = join(import.meta.dirname, '../../testing/team-program.ts')
  const child = spawn(process.execPath, [program, ...args])
  onTestFinished(() => void child.kill('SIGKILL'))
  let problems = ''
  child.stderr.on('data', (data) => {
    problems += data
  })
  createInterface({ input: child.stdout }).on('line', (text) => line(text, child))
  return once(child, 'exit').then(([code, signal]) => ({ code, signal, problems }))
}

test.each([
  [0, []],
  [5, []],
  [9, []],
  [5, ['team']],
])(
  'a leader and four members finish twelve dependent tasks; killed after %i of them, they finish the rest, and none is done twice (%j)',
  async (killAfter, more) => {
    const base = await tempFolder()
    const [data, project] = [join(base, 'data'), join(base, 'project')]
    await mkdir(project)
    let conversationId = ''
    let completed = 0
    const first = await start([data, project], (text, child) => {
      if (text.startsWith('conversation ')) conversationId = text.slice('conversation '.length)
      if (text.startsWith('completed ') && ++completed === killAfter) child.kill('SIGKILL')
    })
    if (killAfter > 0) {
      expect(first.signal).toBe('SIGKILL')
      const second = await start([data, project, conversationId, ...more], () => {})
      expect(second).toEqual({ code: 0, signal: null, problems: '' })
    } else expect(first).toEqual({ code: 0, signal: null, problems: '' })

    const effects = (await readFile(join(project, 'effects'), 'utf8')).trim().split('\n')
    expect(effects.toSorted()).toEqual([...Array(12).keys()].map((at) => `task-${at + 1}`).toSorted())
    const listed = await createTaskFiles({ folder: join(data, 'boards') }).list(conversationId)
    if (!listed.ok) throw new Error(listed.failure.message)
    const { tasks } = listed.value
    expect(tasks.map(({ status }) => status)).toEqual(Array(12).fill('completed'))
    // Claimed once and completed once.
    expect(tasks.map(({ version }) => version)).toEqual(Array(12).fill(3))
    // No task began before those that it waits for were completed.
    for (const task of tasks)
      for (const id of task.dependsOn)
        expect(tasks.find((other) => other.id === id)?.endedAt).toBeLessThanOrEqual(task.claimedAt ?? 0)
    expect(new Set(tasks.map(({ owner }) => owner)).size).toBeGreaterThan(1)
  },
)
