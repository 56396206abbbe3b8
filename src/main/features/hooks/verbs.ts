/** `troupe hooks …` */
import { hookEvents } from '../../../shared/hooks/hooks.ts'
import { ok } from '../../../shared/kernel/result.ts'
import { type CommandLineRoot, inFolder, type Verbs, verb } from '../../command-line.ts'
import { checked, ofFolder, readObject, usage, valued } from '../../platform/command-line/verb.ts'
import type { HooksCommand } from './hooks-command.ts'

export const hookVerbs: Verbs = [
  verb({
    words: 'hooks list',
    summary: 'list the hooks here, with their state and source',
    options: ofFolder,
    run,
  }),
  verb({
    words: 'hooks test',
    arguments: { event: '[EVENT]' },
    summary: 'run the hooks of an event with a sample input, and print their answers',
    options: {
      ...ofFolder,
      tool: valued('NAME', 'the tool of the sample (default: Bash)'),
      input: checked('JSON', 'the input of the sample’s tool', (given) => {
        const input = readObject(given)
        return input.ok ? input : usage('--input must be a JSON object: --input \'{"command":"ls"}\'')
      }),
    },
    misuse: unexpected,
    refine: (values) => {
      const event = hookEvents.find((one) => one === values.event)
      return event === undefined
        ? usage(`Give an event: ${hookEvents.join(', ')}.`)
        : ok({ ...values, event, tool: values.tool ?? 'Bash', input: values.input ?? {} })
    },
    run,
  }),
  verb({
    words: 'hooks approve',
    summary: 'let a project’s hook run as it is defined now; N: its number in the list',
    ...forHook('approve'),
    run,
  }),
  verb({ words: 'hooks refuse', summary: 'keep a project’s hook off', ...forHook('refuse'), run }),
]

function forHook(action: string) {
  const which = `Give the number of a hook from troupe hooks list: troupe hooks ${action} 1`
  return {
    ...{ arguments: { number: 'N' }, options: ofFolder },
    misuse: (given: readonly string[]) => (given.length === 0 ? which : unexpected(given)),
    refine: <Given extends { readonly number: string }>(values: Given) =>
      /^[1-9]\d*$/.test(values.number) ? ok({ ...values, number: Number(values.number) }) : usage(which),
  } as const
}

function unexpected([, extra]: readonly string[]): string {
  return `Unexpected argument "${extra}".`
}

function run(root: CommandLineRoot, command: HooksCommand & Parameters<typeof inFolder>[1]): Promise<number> {
  return inFolder(root, command, async ({ program, ...context }) => {
    const { hooksCommand } = await import('./hooks-command.ts')
    return await hooksCommand(command, { ...context, hooks: program.hooks })
  })
}
