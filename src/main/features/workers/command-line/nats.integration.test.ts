/** A NATS server is set up and a worker looks whether it can work there, as a user does it on the command line. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createGit } from '../../../platform/git/git-client.ts'
import { createSystemClock } from '../../../platform/system/machine-time.ts'
import { commandLine } from '../../../testing/command-line.ts'
import { parseLine } from '../../../testing/parse-line.ts'
import { startNatsServer, withNats } from '../nats/testing/nats-server.ts'
import { openTestSession } from '../nats/testing/session.ts'
import { serveRemoteJobs } from './remote-worker.ts'

withNats('troupe nats setup', () => {
  test('writes a server that takes the workers that it names', async () => {
    const { folder, run, start } = await commandLine()
    const cli = (...args: string[]) => run(args)
    const set = await cli('nats', 'setup', '--folder', join(folder, 'nats'), '--worker', 'build-1')
    expect(set).toMatchObject({ code: 0, errors: '' })
    expect(set.output).toContain('nats-server -c ')
    expect(set.output).toContain('troupe worker --connect tls://')
    const config = await readFile(join(folder, 'nats/nats-server.conf'), 'utf8')
    expect((await stat(join(folder, 'nats/build-1.nk'))).mode & 0o777).toBe(0o600)
    const server = await startNatsServer({ jetStream: false, config: () => config })
    const url = `tls://localhost:${server.port}`
    const files = ['--creds', 'nats/build-1.nk', '--ca', 'nats/ca.pem']
    const looked = await cli('worker', '--connect', url, ...files, '--check')
    expect(looked.output).toMatch(/^ok {6}server {6}nats-server .* with TLS, with JetStream$/m)
    expect(looked.output).toMatch(/^ok {6}permissions /m)
    expect(looked.output).toMatch(/^warning model {7}No access to a model, .* Set ANTHROPIC_API_KEY/m)
    expect(looked.code).toBe(0)
    const worker = start(['worker', '--connect', url, ...files])
    await worker.said(/Worker w-\S+ waits for jobs in /)
    worker.child.kill('SIGINT')
    expect((await worker.ended).code).toBe(130)
    const unknown = await cli('worker', '--connect', url, '--creds', 'nats/build-1.nk', '--check')
    expect(unknown.output).toMatch(/^FAILED {2}server {6}.* authority that is not known here/m)
    expect(unknown.code).toBe(1)
  })
})

test('a worker whose server is away says what it waits for, and ends when it is told to', async () => {
  const session = openTestSession('nats://127.0.0.1:1')
  const end = new AbortController()
  const said: string[] = []
  let toldBoth = () => {}
  const told = new Promise<void>((resolve) => {
    toldBoth = resolve
  })
  const clock = createSystemClock()
  const serving = serveRemoteJobs({
    ...{ dataFolder: '/nowhere', version: '1', session, clock, ids: { next: (kind) => `${kind}-1` } },
    elapsed: () => 0,
    git: createGit({ environment: {} }),
    access: { kind: 'none' },
    interrupted: end.signal,
    say(text) {
      said.push(text)
      if (said.length === 2) toldBoth()
    },
    compose: () => Promise.reject(new Error('There is no job.')),
    offer: { tools: [], models: [], providers: [] },
  })
  await told
  expect(said).toEqual([
    'Connects to the NATS server at nats://127.0.0.1:1.',
    expect.stringMatching(/^No NATS server listens at nats:\/\/127\.0\.0\.1:1\. Start it there/),
  ])
  end.abort()
  await serving
})

describe('the keys of senders', () => {
  test('are printed and trusted, as text or as a file', async () => {
    const { run } = await commandLine()
    const cli = (...args: string[]) => run(args)
    const key = await cli('worker', 'key')
    expect(key.output).toMatch(/^troupe-ed25519:\S{43} \S+\n$/)
    expect(await cli('worker', 'key')).toMatchObject({ output: key.output })
    const trusted = await cli('worker', 'trust', key.output.trim())
    expect(trusted).toMatchObject({
      code: 0,
      output: `This worker carries out the jobs of ${key.output.split(' ')[0]}.\n`,
    })
    expect(await cli('worker', 'trust', 'hello')).toMatchObject({
      code: 2,
      errors: expect.stringContaining('hello is not a public key. `troupe worker key` prints'),
    })
  })
})

describe('wrong usage is explained', () => {
  test.each([
    [['nats'], 'Use troupe nats setup.'],
    [['nats', 'setup', '--port', '70000'], '--port must be a number from 1 to 65535, not "70000".'],
    [['nats', 'setup', '--host', 'a b'], '--host must be a name or an IP address, not "a b".'],
    [['nats', 'setup', 'x'], 'Unknown argument "x".'],
    [['worker', '--check'], 'The address of the NATS server is missing. Example: troupe worker --connect'],
    [['worker', '--connect', 'nats://x', 'y'], 'Unknown argument "y".'],
    [['worker', '--connect', 'nats://x', '--team', 'a'], "Unknown option '--team'"],
    [['worker', 'trust'], 'Use troupe worker trust KEY, or a file with the key.'],
  ])('%j', (args, message) => {
    const parsed = parseLine(args)
    expect(!parsed.ok && parsed.failure.message).toContain(message)
  })

  test('the options of a remote worker are parsed', () => {
    const args = ['worker', '--connect=nats://x', '--creds', 'a.nk', '--ca', 'ca.pem', '--check']
    expect(parseLine(args)).toEqual({
      ok: true,
      value: { url: 'nats://x', credentials: 'a.nk', ca: 'ca.pem', check: true },
    })
    expect(parseLine(['worker', '--team', 'a', '--name', 'b'])).toMatchObject({
      value: { agent: { team: 'a', name: 'b' } },
    })
  })
})
