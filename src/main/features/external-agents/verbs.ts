/** `troupe programs …` */
import { programIds } from '../../../shared/external-agents/known-program.ts'
import { ok } from '../../../shared/kernel/result.ts'
import { type CommandLineRoot, type Verbs, verb, withSettings } from '../../command-line.ts'
import { asJson, flag, repeatable, usage, valued } from '../../platform/command-line/verb.ts'
import type { ProgramsCommand } from './programs-command.ts'

const asking = { ...asJson, yes: flag('don’t ask') }

export const programVerbs: Verbs = [
  verb({
    words: 'programs list',
    summary: 'list the external agents that agents can be: Claude Code, Codex, Gemini CLI, opencode',
    options: asJson,
    run,
  }),
  verb({
    words: 'programs install',
    ...forProgram('install'),
    summary: 'install one with npm, after showing its publisher and size',
    options: asking,
    run,
  }),
  verb({
    words: 'programs update',
    arguments: { id: '[NAME]' },
    summary: 'update one to a newer version, or all that Troupe installed',
    options: asking,
    misuse: oneProgram('update'),
    refine: (values) => {
      const id = programIds.find((one) => one === values.id) ?? null
      return id === null && values.id !== null ? usage(oneProgram('update')) : ok({ ...values, id })
    },
    run,
  }),
  verb({
    words: 'programs remove',
    ...forProgram('remove'),
    summary: 'delete what Troupe installed',
    run,
  }),
  verb({
    words: 'programs check',
    ...forProgram('check'),
    summary: 'start it once: its version, what it can do, whether it needs a login (then exit code 1)',
    run,
  }),
  verb({
    words: 'programs enable',
    ...forProgram('enable'),
    summary: 'make one that is on your PATH an agent',
    run,
  }),
  verb({ words: 'programs disable', ...forProgram('disable'), summary: 'make it no agent any more', run }),
  verb({
    words: 'programs add',
    arguments: { name: 'NAME', command: '-- COMMAND…' },
    summary: 'make another program that speaks the Agent Client Protocol an agent',
    options: {
      ...asJson,
      description: valued('TEXT', 'when to use it, for the main agent'),
      env: repeatable('NAME', 'a variable that it gets'),
    },
    misuse: 'Use troupe programs add NAME --description TEXT -- COMMAND ARGUMENTS',
    refine: ({ name, command: [command = '', ...args], env, ...values }) => {
      if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,59}$/.test(name))
        return usage(`"${name}" can't be the name of an agent. Use letters, digits, - and _.`)
      const description = values.description?.trim() ?? ''
      if (description === '')
        return usage('Say when to use it, for the main agent that chooses: --description "TEXT".')
      const wrong = env.find((each) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(each))
      return wrong === undefined
        ? ok({ ...values, program: { name, description, command, args, env } })
        : usage(`--env takes the name of a variable, without a value, not "${wrong}".`)
    },
    run,
  }),
]

function oneProgram(action: string): string {
  return `Give one program: troupe programs ${action} NAME. NAME is one of: ${programIds.join(', ')}.`
}

function forProgram(action: string) {
  return {
    ...{ arguments: { id: 'NAME' }, options: asJson, misuse: oneProgram(action) },
    refine: <Given extends { readonly id: string }>(values: Given) => {
      const id = programIds.find((one) => one === values.id)
      return id === undefined ? usage(oneProgram(action)) : ok({ ...values, id })
    },
  } as const
}

function run(root: CommandLineRoot, command: ProgramsCommand): Promise<number> {
  return withSettings(root, command, async ({ settings, environment, ...context }) => {
    const [{ composeExternalAgents }, { addProgram, programsCommand }] = await Promise.all([
      import('./feature.ts'),
      import('./programs-command.ts'),
    ])
    const { dataFolder, home, programFolder, given, clock } = root
    const programs = composeExternalAgents({
      ...{ dataFolder, home, settings, programFolder, environment, clock },
      variables: given.forChildren,
    })
    try {
      return await programsCommand(command, { ...context, programs, add: (one) => addProgram(one, home) })
    } finally {
      await programs.close()
    }
  })
}
