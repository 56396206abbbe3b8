import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { type CommandLine, withOwnDescriptors } from './launch-worker.ts'

/** The output of a program that starts with a dozen more open files than the standard ones. */
async function withOpenFiles([program, ...args]: CommandLine): Promise<string> {
  const files = Array.from({ length: 12 }, () => openSync('/dev/null', 'r'))
  try {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit', ...files] })
    return await text(child.stdout as NodeJS.ReadableStream)
  } finally {
    for (const file of files) closeSync(file)
  }
}

const OPEN = `for entry in /proc/self/fd/*; do readlink $entry >/dev/null && echo \${entry##*/}; done`
const numbers = (output: string) => output.trim().split('\n').map(Number)

test.runIf(process.platform === 'linux')('a program gets the standard descriptors only', async () => {
  const command: CommandLine = ['/bin/sh', '-c', OPEN]
  expect(numbers(await withOpenFiles(command)).length).toBeGreaterThan(12)
  const own = numbers(await withOpenFiles(await withOwnDescriptors(command, process.env)))
  expect(own).toEqual([0, 1, 2])
})

test('arguments pass unchanged', async () => {
  const args = ['a b', '$HOME', '"', "'", '', '*', '; exit 3']
  const print = 'console.log(JSON.stringify(process.argv.slice(1)))'
  const command: CommandLine = [process.execPath, '-e', print, '--', ...args]
  expect(JSON.parse(await withOpenFiles(await withOwnDescriptors(command, process.env)))).toEqual(args)
})

test('on other systems the command line is unchanged', async () => {
  expect(await withOwnDescriptors(['/bin/worker', '--agent', 'a'], {}, 'darwin')).toEqual([
    '/bin/worker',
    '--agent',
    'a',
  ])
})
