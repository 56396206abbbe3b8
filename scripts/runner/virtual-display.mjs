import { spawn } from 'node:child_process'
import { CannotContinue } from './say.mjs'

const START_LIMIT = 20_000

/**
 * Starts Xvfb on a free display number. Xvfb ends with the runner.
 *
 * @returns {Promise<{ display: string, stop: () => void }>} `display` is a value for DISPLAY
 */
export function startVirtualDisplay() {
  const args = ['-displayfd', '3', '-screen', '0', '1600x1000x24', '-nolisten', 'tcp', '-dpi', '96']
  const server = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] })
  const stop = () => server.kill('SIGTERM')
  process.on('exit', stop)
  return new Promise((resolve, reject) => {
    let number = ''
    let errors = ''
    const timer = setTimeout(() => fail('it did not answer in time'), START_LIMIT)
    const fail = (reason) => {
      clearTimeout(timer)
      stop()
      reject(new CannotContinue(`Xvfb, the virtual screen, could not be started: ${reason}`))
    }
    server.on('error', (error) => fail(error.message))
    server.on('exit', (code) => fail(`exit code ${code}\n${errors.trim()}`))
    server.stderr.on('data', (chunk) => {
      errors += chunk
    })
    server.stdio[3].on('data', (chunk) => {
      number += chunk
      if (!number.includes('\n')) return
      clearTimeout(timer)
      // A server that is only waited for must not keep the runner alive.
      server.unref()
      server.stderr.unref()
      server.stdio[3].unref()
      resolve({ display: `:${number.trim()}`, stop })
    })
  })
}
