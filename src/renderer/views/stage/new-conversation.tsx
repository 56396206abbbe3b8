/** The start of a conversation, before its first message. */
import { CornerDownRight } from 'lucide-react'
import { Composer } from '../../features/composer/composer.tsx'
import { mainAgentNext, useCoordinates } from '../../stores/conversation-actions.ts'
import { changeDraft, draftKeyNow, focusComposer } from '../../stores/draft-store.ts'
import { useSession } from '../../stores/session-store.ts'

const IDEAS = [
  'Explain how this project is built and tested, and cite the files.',
  'Find the three riskiest parts of this code and examine each with its own agent.',
  'Run the tests, find the cause of a failure, fix it, and have the fix reviewed.',
]

export function NewConversationView() {
  const folder = useSession((state) => state.folder)
  const trusted = folder?.trusted === true
  const coordinates = useCoordinates()
  const mainAgent = useSession(mainAgentNext)
  return (
    <div className="grid min-h-0 flex-1 overflow-y-auto">
      <div className="m-auto w-full max-w-[720px] px-6 py-10">
        <h1 className="pb-1 font-semibold text-fg-0 text-xl tracking-[-0.01em]">
          What should we do in {folder?.name}?
        </h1>
        <p className="pb-5 text-fg-2 text-md">
          {trusted && mainAgent !== null
            ? `${mainAgent} leads, with its own models and tools. Troupe shows its work and asks you for permission.`
            : trusted && coordinates
              ? 'The main agent coordinates: it plans in four phases, gives the work to agents, merges it, and has it verified.'
              : trusted
                ? 'The main agent splits the work among agents that run side by side, each in a live panel.'
                : "This folder is not trusted. Agents can read and search, but can't change or run anything."}
        </p>
        <Composer variant="start" />
        <ul aria-label="Ideas" className="mt-4 grid gap-0.5">
          {IDEAS.map((idea) => (
            <li key={idea}>
              <button
                type="button"
                onClick={() => {
                  changeDraft(draftKeyNow(), { text: idea })
                  focusComposer()
                }}
                className="flex w-full items-center gap-2.5 rounded-sm px-3 py-1 text-left text-fg-2 text-sm hover:bg-bg-2 hover:text-fg-0"
              >
                <CornerDownRight
                  size={13}
                  strokeWidth={1.75}
                  aria-hidden="true"
                  className="shrink-0 text-fg-3"
                />
                {idea}
              </button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
