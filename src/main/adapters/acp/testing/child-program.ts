/** A program with an agent of another maker, which a test kills: starts it, sends the first messages, and waits. */
import { createSystemClock } from '../../system/system-clock.ts'
import { startAcpProcess } from '../acp-process.ts'
import { openSession } from '../acp-session.ts'

const [command = '', script = '', folder = '', pidFile = ''] = process.argv.slice(2)
const agent = startAcpProcess({
  command,
  args: [script, 'hangs'],
  cwd: folder,
  environment: { PATH: process.env['PATH'] ?? '', PID_FILE: pidFile },
})
const no = async () => Promise.reject(new Error('Not here.'))
const session = await openSession({
  process: agent,
  host: { update: () => console.log('works'), permission: no, readFile: no, writeFile: no },
  cwd: folder,
  clock: createSystemClock(),
  startLimit: 60_000,
  signal: new AbortController().signal,
})
if (!session.ok) throw new Error(session.failure.message)
void session.value.prompt([{ type: 'text', text: 'Go' }])
