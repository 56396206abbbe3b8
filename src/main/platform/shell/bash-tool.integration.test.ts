import { mkdirSync, rmSync } from 'node:fs'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AgentStop } from '../../runtime/ports/agent-stop.ts'
import type { AnyTool } from '../../runtime/ports/tool.ts'
import { createBashTool } from '../../runtime/tools/bash.ts'
import { createNodeFileSystem } from '../files/node-file-system.ts'
import { type CallOptions, createToolBench, type ToolBench } from '../files/testing/tool-bench.ts'
import { childEnvironment } from './child-environment.ts'
import { createShell } from './create-shell.ts'

const created = createShell({ environment: childEnvironment(process.env) })
let now = 0
const bash = createBashTool({
  shell: created.shell,
  clock: { now: () => (now += 3200) },
  startCommand: async ({ command }) => ({ isError: false, note: '', content: `started ${command}` }),
}) as AnyTool

let bench: ToolBench
beforeEach(() => {
  bench = createToolBench(createNodeFileSystem().realPath)
})
afterEach(() => {
  bench.clear()
})
afterAll(() => created.killAll())

const run = (command: string, more: object = {}, options?: CallOptions) =>
  bench.call(bash, { command, ...more }, options)

describe('Bash', () => {
  it('returns the output, and requests permission for the exact command', async () => {
    const done = await run('echo hello; echo oops >&2')
    expect(done).toMatchObject({
      isError: false,
      text: 'hello\noops',
      note: '3.2 s',
      display: { kind: 'terminal', exitCode: 0, timedOut: false },
      target: { kind: 'command', command: 'echo hello; echo oops >&2' },
    })
    expect((await run('true')).text).toBe('[No output.]')
  })

  it('repeats no password of an address that git prints, neither while it runs nor in its result', async () => {
    const address = 'https://ana:hunter22@example.com/a.git'
    const git = `git init -q; git remote add origin ${address}; git remote -v; git config --get remote.origin.url`
    const heard: string[] = []
    const done = await run(git, {}, { onOutput: (text) => heard.push(text) })
    const masked = 'https://ana:[secret]@example.com/a.git'
    expect(done.text).toBe(`origin\t${masked} (fetch)\norigin\t${masked} (push)\n${masked}`)
    expect(heard.join('')).toContain(masked)
    expect(heard.join('')).not.toContain('hunter22')
    // What other programs print is content that an agent may have to edit.
    expect((await run(`echo '${address}'`)).text).toBe(address)
  })

  it('reports how a command failed', async () => {
    expect(await run('echo a; exit 3')).toMatchObject({
      isError: true,
      text: 'a\n[Exit code 3]',
      note: 'exit 3',
      display: { exitCode: 3 },
    })
    expect(await run('kill -9 $$')).toMatchObject({
      isError: true,
      text: '[A signal ended the command.]',
      display: { exitCode: null, timedOut: false },
    })
  })

  it('keeps the folder for the next command', async () => {
    mkdirSync(bench.path('src'))
    await run('cd src')
    expect((await run('pwd')).text).toBe(bench.path('src'))
    expect(bench.session.cwd).toBe(bench.path('src'))
    await run('cd .. && false')
    expect((await run('pwd')).text).toBe(bench.folder)
  })

  it('returns to the working folder after a command left it', async () => {
    const left = await run('cd / && echo there')
    expect(left.text).toBe(
      `there\n[The command ended in /, outside your working folder. The next command starts in ${bench.folder}.]`,
    )
    expect(left.isError).toBe(false)
    expect((await run('pwd')).text).toBe(bench.folder)
    await run(`cd ${bench.folder}-evil 2>/dev/null || cd ..`)
    expect(bench.session.cwd).toBe(bench.folder)
  })

  it('does not run a command elsewhere if its folder is missing', async () => {
    mkdirSync(bench.path('src'))
    await run('cd src')
    rmSync(bench.path('src'), { recursive: true })
    const refused = await run('touch ran')
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('was not run') })
    expect((await run('ls')).text).toBe('[No output.]')
  })

  it('ends a command at its time limit and reports it', async () => {
    expect(await run('echo start; sleep 1000', { timeout: 1000 })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^start\n\[The command was ended after 1 s, its time limit/),
      note: 'ended after 1 s',
      display: { exitCode: null, timedOut: true },
    })
  })

  it('reports that the user stopped it, with the output so far', async () => {
    const stop = new AbortController()
    const done = await run(
      'echo start; sleep 1000',
      {},
      { signal: stop.signal, onOutput: () => stop.abort(new AgentStop('user')) },
    )
    expect(done).toMatchObject({
      isError: true,
      note: 'stopped',
      text: expect.stringMatching(/^start\n\[The user stopped this command/),
    })
  })

  it('reports that it ended background processes', async () => {
    expect((await run('sleep 1000 & echo started')).text).toBe(
      'started\n[Processes that it left in the background were ended with it.]',
    )
  })

  it('shows colors to the user and plain text to the model', async () => {
    const heard: string[] = []
    const done = await run(
      `printf '\\033[31mred\\033[0m\\n10%%\\r100%%\\n'`,
      {},
      { onOutput: (text) => heard.push(text) },
    )
    expect(heard.join('')).toContain('\u001b[31mred')
    expect(done.text).toBe('red\n100%')
  })

  it('stays responsive while a command redraws its line without end', async () => {
    const stop = new AbortController()
    let heard = 0
    const done = await run(
      `tr '\\0' '\\r' < /dev/zero`,
      {},
      {
        signal: stop.signal,
        onOutput: () => {
          heard += 1
          if (heard === 10) stop.abort(new AgentStop('user'))
        },
      },
    )
    expect(done).toMatchObject({
      note: 'stopped',
      text: expect.stringMatching(/^\[The user stopped this command/),
    })
    const drawn = await run(`head -c 5000000 /dev/zero | tr '\\0' '\\r'; printf '100%%\\n'`)
    expect(drawn.text).toBe('100%')
  })

  it('limits the length of the output', async () => {
    const done = await run(`head -c 10000000 /dev/zero | tr '\\0' x; echo; echo end`)
    expect(done.text.length).toBeLessThan(4.2 * 1024 * 1024)
    expect(done.text.endsWith('x\nend')).toBe(true)
  })

  it('passes on a command for the background', async () => {
    expect((await run('true', { run_in_background: true })).text).toBe('started true')
    expect((await run('echo x', { run_in_background: false })).text).toBe('x')
  })
})
