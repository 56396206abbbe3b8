/** The part of the SDK in use, in its own file: imported on demand, and bundled without the rest of the SDK. */
export { BaseAnthropic } from '@anthropic-ai/sdk/client'
