/** Reads the desktop's command line: `troupe [FOLDER] [--allow RULE] [--deny RULE] [--mcp-config FILE]`. */
import { resolve } from 'node:path'

interface StartedWith {
  readonly argv: readonly string[]
  /** Electron was started with the program's folder: `electron . [FOLDER]`. */
  readonly isDefaultApp: boolean
  readonly cwd: string
}

interface StartArguments {
  /** Absolute, or null. */
  readonly folder: string | null
  /** Permission rules until the program ends, as given. */
  readonly rules: { readonly allow: readonly string[]; readonly deny: readonly string[] }
  /** Files with MCP servers until the program ends. Absolute. */
  readonly mcpConfig: readonly string[]
  /** An option without a value, such as `--deny` at the end; null if there is none. */
  readonly incomplete: string | null
}

/** All other options belong to Electron and Chromium. Each option's value follows it, or an equals sign. */
export function startArguments({ argv, isDefaultApp, cwd }: StartedWith): StartArguments {
  const named: string[] = []
  const values = { allow: [] as string[], deny: [] as string[], 'mcp-config': [] as string[] }
  let incomplete: string | null = null
  for (let at = 1; at < argv.length; at++) {
    const argument = argv[at] ?? ''
    const [, option, given] = /^--(allow|deny|mcp-config)(?:=(.*))?$/s.exec(argument) ?? []
    if (option === 'allow' || option === 'deny' || option === 'mcp-config') {
      const value = given ?? argv[++at]
      if (value === undefined || value === '' || (given === undefined && value.startsWith('-')))
        incomplete ??= `--${option}`
      else values[option].push(value)
    } else if (argument === '-r' || argument === '--require') at++
    else if (argument === '--') named.push(...argv.slice(at + 1))
    else if (!argument.startsWith('-')) named.push(argument)
    if (argument === '--') break
  }
  const folder = named[isDefaultApp ? 1 : 0]
  return {
    folder: folder === undefined || folder === '' ? null : resolve(cwd, folder),
    rules: { allow: values.allow, deny: values.deny },
    mcpConfig: values['mcp-config'].map((file) => resolve(cwd, file)),
    incomplete,
  }
}
