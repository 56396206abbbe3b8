/** The requested action in full, never cut. It is the only part that scrolls: reason and buttons stay in view. */
import type { PermissionSubject } from '../../../shared/agent-event.ts'
import { classNames } from '../../ui/class-names.ts'
import { CommandText } from '../../ui/command-text.tsx'
import { DiffView } from '../../ui/diff-view.tsx'
import { AddressText } from './address-text.tsx'

export interface RequestSubjectProps {
  readonly subject: PermissionSubject
  /** In the queue, where the whole card has its own height. */
  readonly large: boolean
}

export function RequestSubject({ subject, large }: RequestSubjectProps) {
  const height = large ? 'shrink' : 'max-h-[38vh]'
  if (subject.kind === 'diff')
    return (
      <div data-subject="" className={classNames('my-1.5 flex min-h-0 flex-col rounded-[6px]', height)}>
        <DiffView patch={subject.text} label="Proposed change" shownLines={400} />
      </div>
    )
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
      tabIndex={0}
      data-subject=""
      data-selectable=""
      className={classNames(
        'my-1.5 min-h-[1.75rem] overflow-auto whitespace-pre-wrap rounded-sm bg-bg-0 px-2 py-[5px] font-medium font-mono text-[0.71875rem] text-fg-0 leading-[1.5] wrap-anywhere',
        height,
      )}
    >
      {subject.kind === 'url' ? (
        <AddressText>{subject.text}</AddressText>
      ) : (
        <CommandText>{subject.text}</CommandText>
      )}
    </pre>
  )
}
