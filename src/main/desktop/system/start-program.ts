/** Starts a program that outlives Troupe. */
import { spawn } from 'node:child_process'
import type { ProgramCall } from './editor-command.ts'

/** Resolves to true once the program runs, to false if it did not start. */
export function startProgram(
  { program, args }: ProgramCall,
  options: { readonly cwd: string; readonly environment: NodeJS.ProcessEnv },
): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: options.environment,
      detached: true,
      stdio: 'ignore',
    })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
