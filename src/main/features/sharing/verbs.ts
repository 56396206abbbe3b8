/** `troupe export` and `troupe conversations import`. */
import { ok, type Result } from '../../../shared/kernel/result.ts'
import { receiverAddress, type ShareFormat } from '../../../shared/sharing/sharing.ts'
import { type Verbs, verb, withProgram } from '../../command-line.ts'
import { asJson, checked, flag, repeatable, usage, valued } from '../../platform/command-line/verb.ts'

const formatOptions = {
  html: valued('FILE', 'one page with everything in it, for any browser, also without a network'),
  markdown: valued('FILE', 'Markdown to read'),
  jsonl: valued('FILE', 'all events as JSON Lines; troupe conversations import reads them'),
  trace: valued('FILE', 'the timeline as a trace, for ui.perfetto.dev or chrome://tracing'),
  otel: valued('FILE', 'OpenTelemetry spans as OTLP/JSON'),
  scenario: valued('FILE', 'a scenario that troupe run --scenario plays, without a model'),
}

export const sharingVerbs: Verbs = [
  verb({
    words: 'export',
    arguments: { id: 'ID' },
    summary: 'write a conversation to a file to share, without secrets; FILE - is standard output',
    options: {
      ...formatOptions,
      otlp: checked('URL', 'send the spans to a receiver of OpenTelemetry (OTLP over HTTP, JSON)', receiver),
      without: repeatable('AGENT', 'leave out an agent and all below it, by name, type or id'),
      'keep-paths': flag('keep the home folder in paths, instead of ~'),
      'dry-run': flag('write nothing; say what the file would have in it'),
      force: flag('replace an existing file'),
      ...asJson,
    },
    misuse:
      'Give one conversation: troupe export ID --markdown FILE. See the ids with: troupe conversations list',
    refine: (values) => {
      const target = targetOf(values)
      return target.ok ? ok({ ...values, ...target.value }) : target
    },
    run: (root, options) =>
      withProgram(root, options, async ({ program: { sharing }, ...context }) => {
        const { exportCommand } = await import('./sharing-command.ts')
        return await exportCommand(options, { ...context, sharing, elapsed: root.elapsed })
      }),
  }),
  verb({
    words: 'conversations import',
    arguments: { file: 'FILE' },
    summary: 'make a conversation from a file of troupe export --jsonl, to read and search it',
    options: asJson,
    misuse: 'Give one file: troupe conversations import FILE',
    run: (root, options) =>
      withProgram(root, options, async ({ program: { sharing }, ...context }) => {
        const { importCommand } = await import('./sharing-command.ts')
        return await importCommand(options, { ...context, sharing })
      }),
  }),
]

interface Target {
  readonly format: ShareFormat
  /** Null: standard output, or the receiver. */
  readonly file: string | null
}

/** The one format that is given, with its file. */
function targetOf(
  values: { readonly dryRun: boolean; readonly otlp: URL | null } & {
    readonly [Name in keyof typeof formatOptions]: string | null
  },
): Result<Target> {
  const given = (Object.keys(formatOptions) as (keyof typeof formatOptions)[]).flatMap((format) => {
    const file = values[format]
    return file === null ? [] : [{ format, file }]
  })
  const options = [...Object.keys(formatOptions), 'otlp'].map((name) => `--${name}`)
  if (values.otlp !== null)
    return given.length === 0
      ? ok({ format: 'otel', file: null })
      : usage(`Give only one of ${options.join(', ')}.`)
  const [target, other] = given
  if (target === undefined)
    return values.dryRun
      ? ok({ format: 'jsonl', file: null })
      : usage(`Say what to write, and where: ${options.join(' FILE, ')} URL. Or add --dry-run.`)
  if (other !== undefined) return usage(`Give only one of ${options.join(', ')}.`)
  if (target.file.trim() === '') return usage(`--${target.format} needs the name of a file.`)
  return ok({ format: target.format, file: target.file === '-' ? null : target.file })
}

function receiver(text: string): Result<URL> {
  const url = receiverAddress(text)
  return url.ok ? url : usage(url.failure.message)
}
