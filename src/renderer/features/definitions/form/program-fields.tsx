/** The fields of an external agent, in place of those that only Troupe's own agents follow. */
import { applyEdits } from '../../../../shared/agent-definition/agent-definition.ts'
import type { FieldKey } from '../../../../shared/agent-definition/definition-fields.ts'
import { oneEdit, setField } from '../../../../shared/agent-definition/write-definition.ts'
import { splitArguments } from '../../../../shared/slash/slash-line.ts'
import { classNames } from '../../../ui/text/class-names.ts'
import { INPUT_CLASS } from '../../../ui/text-field.tsx'
import { Field } from './field.tsx'
import { type DefinitionFormState, useFieldDraft, useForm } from './form-context.ts'
import { NamesField } from './names-field.tsx'
import { LineField, typingProps } from './text-fields.tsx'

/** Whether the text describes an external agent, also while it lacks its command. */
export const isProgram = ({ keyOf }: Pick<DefinitionFormState, 'keyOf'>): boolean => keyOf('backing') !== null

/** The keys that have a field in the form of a program. Others are refused there, or have no effect. */
const FIELDS: ReadonlySet<FieldKey> = new Set<FieldKey>([
  ...(['name', 'description', 'color', 'backing', 'command', 'args', 'model', 'isolation'] as const),
  ...(['effort', 'background', 'oneShot', 'carryOver', 'hidden', 'aliases', 'mcpServers'] as const),
])

/** Whether a key of a program can be edited in the form. Values of variables are edited in the source. */
export function hasProgramField({ definition }: DefinitionFormState, field: FieldKey): boolean {
  return field === 'env' ? namesOnly(definition.program?.env ?? {}) : FIELDS.has(field)
}

export function ProgramFields() {
  const form = useForm()
  return (
    <>
      <CommandField />
      {hasProgramField(form, 'env') && <VariablesField />}
    </>
  )
}

/** Command and arguments in one line, as in a terminal. */
function CommandField() {
  const { definition, document, readOnly } = useForm()
  const { program } = definition
  const value = program === undefined ? '' : lineOfWords([program.command, ...program.args])
  const draft = useFieldDraft({
    value,
    check: whatIsWrongWithLine,
    normalize: (typed) => lineOfWords(wordsOf(typed)),
    write: (typed, focus) => {
      const [command = '', ...args] = wordsOf(typed)
      const { text } = document
      const named = applyEdits(text, setField(text, 'command', command))
      const after = applyEdits(named, setField(named, 'args', args.length === 0 ? null : args))
      document.edit(oneEdit(text, after), { group: `command ${focus}` })
    },
  })
  return (
    <Field
      label="Command"
      keys={['command', 'args', 'backing']}
      note="starts an ACP agent over stdio"
      error={draft.error}
    >
      {({ id, describedBy, isWrong }) => (
        <input
          id={id}
          autoComplete="off"
          spellCheck={false}
          // A line break inside an argument has no place in one line.
          readOnly={readOnly || value.includes('\n')}
          placeholder="goose acp"
          aria-invalid={isWrong || undefined}
          aria-describedby={describedBy}
          {...typingProps(draft)}
          className={classNames(INPUT_CLASS, 'h-[2.125rem] font-mono text-sm')}
        />
      )}
    </Field>
  )
}

function VariablesField() {
  const { definition, set } = useForm()
  return (
    <NamesField
      label="Variables"
      field="env"
      noun="variable"
      names={Object.keys(definition.program?.env ?? {})}
      known={null}
      check={(name) =>
        /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
          ? null
          : 'Enter the name alone, such as GOOSE_KEY. The value comes from your environment or from Settings › External agents.'
      }
      note="from your environment or Settings › External agents"
      onChange={(names) => set('env', names.length === 0 ? null : names)}
    />
  )
}

/** A model of the program, by its own name for it. */
export function ProgramModelField({ className }: { readonly className: string }) {
  const { definition, keyOf } = useForm()
  return (
    <LineField
      label="Model"
      field="model"
      value={keyOf('model') === null ? '' : definition.model}
      placeholder="the program’s own choice"
      note="if it offers one of this name"
      className={className}
    />
  )
}

/** Whether each variable is passed on under its own name, which a list of names says. */
const namesOnly = (env: Readonly<Record<string, string>>): boolean =>
  Object.entries(env).every(([name, value]) => value === `\${${name}}`)

// The command line of an external agent as one text, as it is typed in a terminal.

/** The words in one line, with double quotes where a word needs them. `wordsOf` reads it back. */
export function lineOfWords(words: readonly string[]): string {
  return words
    .map((word) => (/^[^\s"']+$/.test(word) ? word : `"${word.replace(/["\\]/g, '\\$&')}"`))
    .join(' ')
}

/** The words of a typed line; quotes keep spaces. */
export const wordsOf = (line: string): readonly string[] => splitArguments(line)

/** Why a typed line is no command line of a program; null: it is one. */
export function whatIsWrongWithLine(line: string): string | null {
  const words = wordsOf(line)
  const [first] = words
  if (first === undefined) return 'Enter the program to start, such as goose acp.'
  const assigned = /^([A-Za-z_]\w*)=/.exec(first)?.[1]
  if (assigned !== undefined) return `Add ${assigned} under Variables. The line begins with the program.`
  const operator = words.find((word) => /^(?:[|&;<>]+|\d?>>?.*)$/.test(word))
  if (operator !== undefined) return `No shell runs this line: ${operator} has no effect. Remove it.`
  return null
}
