import { execPath } from 'node:process'
import { expect, test } from 'vitest'
import { startGuarded } from './guarded-process.ts'

/** Starts a process in a session of its own, which keeps the pipes and runs on; then ends. */
const LEAVER = `
const { spawn } = require('node:child_process')
const left = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'inherit' })
process.stdout.write(left.pid + '\\n', () => process.exit(3))
`

test('a server has ended although something that it left behind holds its pipes', async () => {
  const { child } = startGuarded({ command: execPath, args: ['-e', LEAVER], cwd: '/', environment: {} })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  try {
    const code = await new Promise((resolve) => child.once('close', resolve))
    expect(code).toBe(3)
  } finally {
    process.kill(Number(output), 'SIGKILL')
  }
})
