import { retryLog, useWriteFailure } from '../../stores/conversation-store.ts'
import { Button } from '../../ui/button.tsx'

/** Retries saving the transcripts of a conversation. */
export function RetryButton({ conversationId }: { readonly conversationId: string }) {
  const trying = useWriteFailure((state) => state.trying.has(conversationId))
  return (
    <Button disabled={trying} focusableWhenDisabled onClick={() => void retryLog(conversationId)}>
      {trying ? 'Retrying…' : 'Retry'}
    </Button>
  )
}
