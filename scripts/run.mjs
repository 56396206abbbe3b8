#!/usr/bin/env node
/**
 * Runs every development command of package.json. It needs nothing but plain Node ≥ 20, prepares the requirements of
 * the command (packages, a newer Node, Electron, system libraries, a display) and then runs it.
 */
import { commands } from './runner/commands.mjs'
import { CannotContinue, say } from './runner/say.mjs'

const [name, ...args] = process.argv.slice(2)
const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined

if (command === undefined) {
  say(`Usage: node scripts/run.mjs ${Object.keys(commands).join(' | ')}`)
  process.exit(2)
}

try {
  process.exitCode = await command(args)
} catch (error) {
  if (!(error instanceof CannotContinue)) throw error
  say(error.message)
  process.exitCode = 1
}
// A probe of the network or a virtual screen may still be open; nothing waits for them.
process.exit()
