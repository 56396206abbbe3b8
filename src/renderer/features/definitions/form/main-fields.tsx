/** The fields that most definitions use. */
import { type Diagnostic, memoryScopes } from '../../../../shared/agent-definition/agent-definition.ts'
import { whatIsWrongWithName } from '../../../../shared/agent-definition/read-definition.ts'
import { problemOfName } from './chip-problem.tsx'
import { ChoiceField } from './choice-field.tsx'
import { ColorField } from './color-field.tsx'
import { defaultValue, useForm } from './form-context.ts'
import { ModelField } from './model-field.tsx'
import { NamesField } from './names-field.tsx'
import { PermissionField } from './permission-field.tsx'
import { isProgram, ProgramFields, ProgramModelField } from './program-fields.tsx'
import { CountField, LineField, ProseField } from './text-fields.tsx'
import { ToolsField } from './tools/tools-field.tsx'

/** Side by side where there is room. */
const ROW = 'flex flex-wrap gap-x-3.5 gap-y-[13px]'
const HALF = 'grow basis-[calc(50%-0.4375rem)] min-w-min'

export function MainFields() {
  const form = useForm()
  return (
    <>
      <div className={ROW}>
        <NameField />
        <ColorField className={`${HALF} min-w-[14.9rem]!`} />
      </div>
      <DescriptionField />
      {isProgram(form) ? <FieldsOfProgram /> : <OwnFields />}
    </>
  )
}

/** Tools, permissions, context, memory, turns and skills are the program's own affair. */
function FieldsOfProgram() {
  return (
    <>
      <ProgramFields />
      <div className={ROW}>
        <ProgramModelField className={HALF} />
        <IsolationField />
      </div>
    </>
  )
}

function OwnFields() {
  return (
    <>
      <div className={`${ROW} gap-x-2!`}>
        <ModelField className="min-w-min grow basis-0" />
        <PermissionField className="min-w-min grow basis-0" />
      </div>
      <ToolsField />
      <div className={ROW}>
        <IsolationField />
        <ContextField />
      </div>
      <div className={ROW}>
        <MemoryField />
        <TurnsField />
      </div>
      <SkillsField />
    </>
  )
}

function NameField() {
  const { definition, keyOf, surroundings } = useForm()
  const isNamed = keyOf('name') !== null
  return (
    <LineField
      label="Name"
      field="name"
      value={isNamed ? definition.name : ''}
      placeholder={surroundings.stem}
      check={(typed) => (typed.trim() === '' && !isNamed ? null : whatIsWrongWithName(typed.trim()))}
      {...(isNamed ? {} : { note: 'from the file name' })}
      className={`${HALF} min-w-[11rem]!`}
    />
  )
}

function DescriptionField() {
  const { definition, keyOf, problemsOf } = useForm()
  const isMissing = problemsOf('description').some(({ code }) => code === 'no-description')
  return (
    <ProseField
      label="When to use it"
      field="description"
      value={isMissing ? '' : definition.description}
      note="the main agent chooses by this"
      check={(typed) =>
        typed.trim() === '' && keyOf('name') === null
          ? 'A file without a name needs a description to be an agent.'
          : null
      }
    />
  )
}

const ISOLATIONS = [
  { value: 'shared', label: 'shared folder' },
  { value: 'worktree', label: 'own worktree' },
] as const

function IsolationField() {
  const { definition, set } = useForm()
  return (
    <ChoiceField
      label="Isolation"
      field="isolation"
      value={definition.isolation ?? 'shared'}
      options={ISOLATIONS}
      onChange={(value) => set('isolation', value === 'shared' ? null : value)}
      className={HALF}
    />
  )
}

const CONTEXTS = [
  { value: 'prompt', label: 'prompt only' },
  { value: 'conversation', label: 'whole conversation' },
] as const

function ContextField() {
  const form = useForm()
  const { forkContext } = form.definition
  return (
    <ChoiceField
      label="Context"
      field="forkContext"
      value={forkContext ? 'conversation' : 'prompt'}
      options={CONTEXTS}
      onChange={(value) =>
        form.set('forkContext', value === 'conversation' ? true : defaultValue(form, 'forkContext', false))
      }
      {...(forkContext ? { hint: 'Uses its parent’s model.' } : {})}
      className={HALF}
    />
  )
}

const MEMORIES = ['none', ...memoryScopes].map((value) => ({ value, label: value }))

function MemoryField() {
  const { definition, set } = useForm()
  return (
    <ChoiceField
      label="Memory"
      field="memory"
      value={definition.memory ?? 'none'}
      options={MEMORIES}
      onChange={(value) => set('memory', value === 'none' ? null : value)}
      className={HALF}
    />
  )
}

function TurnsField() {
  const { definition, keyOf, problemsOf } = useForm()
  const isWrong = problemsOf('maxTurns').some(({ code }: Diagnostic) => code === 'bad-maxTurns')
  const written = keyOf('maxTurns')?.written.replace(/^(["'])(.*)\1$/, '$2') ?? ''
  return (
    <CountField
      label="Max turns"
      field="maxTurns"
      value={isWrong ? written : (definition.maxTurns?.toString() ?? '')}
      placeholder="default"
      className={HALF}
    />
  )
}

function SkillsField() {
  const { definition, edit, problemsOf, set, surroundings } = useForm()
  const problems = problemsOf('skills')
  return (
    <NamesField
      label="Skills"
      field="skills"
      noun="skill"
      names={definition.skills}
      known={surroundings.catalog.skills.map(({ name, description }) => ({ name, help: description }))}
      problemOf={(name) => problemOfName(name, problems, edit)}
      check={(name) => (/[,\n]/.test(name) ? 'A skill name can’t contain a comma.' : null)}
      onChange={(names) => set('skills', names.length === 0 ? null : names)}
    />
  )
}
