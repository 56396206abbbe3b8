/** Replaces the form when the text is not a definition or not readable. */
import { applyEdits } from '../../../../shared/agent-definition/agent-definition.ts'
import { oneEdit, setField } from '../../../../shared/agent-definition/write-definition.ts'
import { Button } from '../../../ui/button.tsx'
import type { DefinitionFormState } from './form-context.ts'
import type { FormReading } from './read-form.ts'

type UnreadFileProps = Pick<
  DefinitionFormState,
  'document' | 'surroundings' | 'readOnly' | 'edit' | 'reveal'
> & { readonly reading: FormReading }

export function UnreadFile({ reading, surroundings, readOnly, edit, reveal }: UnreadFileProps) {
  const { text, otherProblems, problemsOf } = reading
  const problems = [...otherProblems, ...problemsOf('name')]
  const named = applyEdits(text, setField(text, 'name', surroundings.stem))
  const canName = problems.some(({ severity }) => severity === 'notice') && named !== text
  return (
    <div className="flex flex-col gap-3">
      <h2 className="font-semibold text-fg-0 text-md">No form for this file</h2>
      {problems.map((problem) => (
        <div key={`${problem.code} ${problem.from}`} className="flex flex-wrap items-center gap-2 text-sm">
          <p className={problem.severity === 'error' ? 'text-bad' : 'text-fg-1'}>{problem.message}</p>
          <Button onClick={() => reveal(problem)}>Show line {problem.line}</Button>
          {!readOnly &&
            problem.fixes.map((fix) => (
              <Button key={fix.label} onClick={() => edit(fix.edits)}>
                {fix.label}
              </Button>
            ))}
        </div>
      ))}
      {canName && !readOnly && (
        <Button className="self-start" onClick={() => edit(oneEdit(text, named))}>
          Add name: {surroundings.stem}
        </Button>
      )}
    </div>
  )
}
