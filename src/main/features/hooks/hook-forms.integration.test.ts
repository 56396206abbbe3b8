/** Forms of hooks with real files and processes: those that follow files, that set variables, that nobody waits for. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { echo, gate, script } from '../../runtime/testing/scripts.ts'
import type { TestRuntime } from '../../runtime/testing/test-runtime.ts'
import { BASH, bash, ground, isAlive, on, run } from '../../testing/real-hooks.ts'

/** Resolves when a hook has run at this event so often. */
function ran(troupe: TestRuntime, event: string, times = 1): Promise<unknown> {
  let left = times
  return troupe.when('hook-ran', (one) => one.event === event && --left <= 0)
}

test('a changed file, a changed setting, and variables for later commands', async () => {
  const g = ground()
  const changed = gate()
  const environments: object[] = []
  const watches = JSON.stringify({
    hookSpecificOutput: { hookEventName: 'SessionStart', watchPaths: ['config/dev.json'] },
  })
  const load = g.put('bin/load.sh', `${g.logger} && cat .env >> "$CLAUDE_ENV_FILE"`)
  g.user({
    ...on('FileChanged', '.env|package.json', `sh ${load}`),
    ...on('ConfigChange', 'project_settings', g.logger),
    ...on('SessionStart', '', `echo '${watches}'`),
  })
  g.put('project/config/dev.json', '{}')
  await run(g, [], {
    script: script(
      [
        async () => {
          await changed.opened
          return { calls: [BASH] }
        },
        echo,
      ],
      echo,
    ),
    shell: async ({ cwd, environment = {} }) => {
      environments.push(environment)
      return { output: '', exitCode: 0, ended: 'exit', cwd }
    },
    async during(troupe) {
      g.put('project/other.txt', 'x')
      g.put('project/.env', 'export STAGE=$(touch ran)\nexport REGION="eu west"\n')
      await ran(troupe, 'FileChanged')
      g.put('project/.claude/settings.json', { model: 'haiku' })
      await ran(troupe, 'ConfigChange')
      changed.open()
    },
  })
  expect(g.logged()).toMatchObject([
    { hook_event_name: 'FileChanged', file_path: join(g.folder, '.env'), event: 'add' },
    {
      hook_event_name: 'ConfigChange',
      source: 'project_settings',
      file_path: join(g.folder, '.claude', 'settings.json'),
    },
  ])
  expect(environments).toEqual([{ REGION: 'eu west' }])
  expect(existsSync(join(g.folder, 'ran'))).toBe(false)
})

test('a file that an answer names is watched, until it is gone', async () => {
  const g = ground()
  const over = gate()
  const watches = (event: string) =>
    `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: event, watchPaths: ['config/dev.json'] } })}'`
  const file = g.put('project/config/dev.json', '{}')
  g.user({ ...on('SessionStart', '', watches('SessionStart')), ...on('FileChanged', '', g.logger) })
  await run(g, [], {
    script: async () => {
      await over.opened
      return { text: 'Done.' }
    },
    async during(troupe) {
      g.put('project/config/dev.json', '{"a":1}')
      await ran(troupe, 'FileChanged')
      rmSync(file)
      await ran(troupe, 'FileChanged', 2)
      over.open()
    },
  })
  expect(g.logged()).toMatchObject([
    { file_path: file, event: 'change' },
    { file_path: file, event: 'unlink' },
  ])
})

test('a hook that nobody waits for runs on, and ends with the conversation', async () => {
  const g = ground()
  const pid = join(g.top, 'pid')
  g.user(on('PostToolUse', 'Bash', `echo $$ > ${pid}; exec sleep 600`, { async: true, timeout: 600 }))
  const started = gate()
  const seen: boolean[] = []
  await run(g, [BASH], {
    script: script(
      [
        { calls: [BASH] },
        async () => {
          while (!existsSync(pid) || readFileSync(pid, 'utf8') === '')
            await new Promise((resolve) => setImmediate(resolve))
          seen.push(isAlive(Number(readFileSync(pid, 'utf8'))))
          started.open()
          return { text: 'Done.' }
        },
      ],
      echo,
    ),
  })
  expect(seen).toEqual([true])
  await g.hooks.close()
  expect(isAlive(Number(readFileSync(pid, 'utf8')))).toBe(false)
})

test('one command with two conditions is two hooks', async () => {
  const g = ground()
  const hook = { type: 'command', command: g.logger }
  const hooks = [
    { ...hook, if: 'Bash(ls *)' },
    { ...hook, if: 'Bash(pwd)' },
  ]
  g.user({ PreToolUse: [{ matcher: 'Bash', hooks }] })
  await run(g, [bash('ls -l'), bash('pwd'), bash('whoami')])
  expect(g.logged().map((input) => input['tool_input'])).toEqual([{ command: 'ls -l' }, { command: 'pwd' }])
})
