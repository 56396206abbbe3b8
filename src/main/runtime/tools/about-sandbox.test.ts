import { expect, test } from 'vitest'
import { OUTSIDE_OFFER } from '../ports/sandbox.ts'
import { aboutSandbox } from './bash.ts'

const limits = {
  folder: '/repo',
  reads: [],
  writes: ['/repo'],
  domains: [],
  refusedDomains: [],
  agentId: 'a',
}
const about = (output: string, exitCode = 1, more: object = {}) =>
  aboutSandbox({ output, exitCode, ...more }, { limits, mayAsk: true })

test.each([
  'git: getaddrinfo EAI_AGAIN example.com',
  'touch: cannot touch /etc/x: Read-only file system',
  'Error: EACCES: permission denied, open',
  'npm error code EAI_AGAIN',
  'curl: (6) Could not resolve host: example.com',
])('a failure that the sandbox may have caused is explained: %s', (output) => {
  expect(about(output)).toBe(
    '[The command ran in the sandbox: it could write only to /repo and $TMPDIR, and it had no network. If the task needs it, call Bash again with outside_sandbox: true; the user is asked.]',
  )
})

test('a failure of another kind is left alone, and so is a success', () => {
  expect(about('3 tests failed')).toBe('')
  expect(about('permission denied', 0)).toBe('')
})

test('a part that only the sandbox stops is explained also after a success', () => {
  expect(about('touch: cannot touch /x: Read-only file system', 0)).toContain('outside_sandbox: true')
})

test('refused hosts are named', () => {
  expect(about('', 0, { refusedHosts: ['example.com', 'b.example'] })).toBe(
    '[The sandbox refused connections to example.com, b.example: the user has not allowed these hosts. If the task needs it, call Bash again with outside_sandbox: true; the user is asked.]',
  )
})

test('what it could do is told of each agent', () => {
  const reading = aboutSandbox(
    { output: 'EROFS', exitCode: 1 },
    { limits: { ...limits, writes: [], domains: ['packages.example.com'] }, mayAsk: true },
  )
  expect(reading).toContain('write only to $TMPDIR, and it reached only packages.example.com')
  expect(aboutSandbox({ output: 'EROFS', exitCode: 1 }, { limits: undefined, mayAsk: true })).toBe('')
})

test('where nobody can answer, no call outside is advised', () => {
  const note = `Commands in the sandbox can't change a. ${OUTSIDE_OFFER}`
  const noted = { output: '', exitCode: 1, sandboxNotes: [note] }
  expect(aboutSandbox(noted, { limits, mayAsk: true })).toBe(`[${note}]`)
  expect(aboutSandbox(noted, { limits, mayAsk: false })).toBe(
    "[Commands in the sandbox can't change a. Nobody can allow more in this run: do it without that, or report what it needs.]",
  )
  for (const output of ['EROFS', 'connect ECONNREFUSED 127.0.0.1:4567']) {
    const told = aboutSandbox({ output, exitCode: 1 }, { limits, mayAsk: false })
    expect(told).toContain('The command ran in the sandbox')
    expect(told).not.toContain('outside_sandbox')
  }
})

test.each([
  'curl: (7) Failed to connect to localhost port 4567 after 0 ms: Couldn’t connect to server',
  'Error: connect ECONNREFUSED 127.0.0.1:4567',
  'requests.exceptions.ConnectionError: [Errno 111] Connection refused: http://localhost:8000',
])('a server of another command is said not to be there: %s', (output) => {
  expect(about(output)).toContain('only if you started it and it still runs')
})

test('a refused connection to another host is explained by the network', () => {
  expect(about('connect ECONNREFUSED 10.0.0.7:5432')).toContain('it had no network')
})

test('a silent curl of a server of another command is explained too', () => {
  const end = { output: '', exitCode: 7 }
  const of = (command: string) => aboutSandbox(end, { command, limits, mayAsk: true })
  expect(of('curl -s localhost:4567')).toContain('only if you started it and it still runs')
  expect(of('make test')).toBe('')
})
