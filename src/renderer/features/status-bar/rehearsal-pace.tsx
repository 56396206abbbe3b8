/** The pace of the rehearsal, which takes effect at once. */

import { PACE_LABELS, setRehearsalPace } from '../../stores/actions/rehearsal-pace.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { showFailure } from '../../stores/notice-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { Segmented } from '../../ui/segmented.tsx'

export function RehearsalPaceControl() {
  const isPaced = useSession((state) => state.access.isPaced === true)
  const rehearsed = useConversation((state) => state.record?.rehearsal)
  const pace = useSession((state) => state.settings.rehearsalPace)
  if (!isPaced || rehearsed === false) return null
  return (
    <span className="flex shrink-0 items-center gap-1.5">
      pace
      <Segmented
        label="Pace of the rehearsal"
        value={pace}
        options={PACE_LABELS}
        onChange={(next) =>
          void setRehearsalPace(next).then((answer) => {
            if (!answer.ok) showFailure(answer.failure)
          })
        }
        className="[&>*]:px-1.5 [&>*]:text-xs [&>*]:leading-[1.125rem]"
      />
    </span>
  )
}
