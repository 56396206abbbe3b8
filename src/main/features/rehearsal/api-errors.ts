/** Errors in the Messages API's shape. */

export interface ApiError {
  readonly status: number
  readonly type: string
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

export const invalidRequest = (message: string): ApiError => ({
  status: 400,
  type: 'invalid_request_error',
  message,
})

export const notFound = (message: string): ApiError => ({ status: 404, type: 'not_found_error', message })

export const refusedKey = (message: string): ApiError => ({
  status: 401,
  type: 'authentication_error',
  message,
})

export const apiFault = (message: string): ApiError => ({ status: 500, type: 'api_error', message })

export function errorText({ type, message }: Pick<ApiError, 'type' | 'message'>, requestId: string): string {
  return JSON.stringify({ type: 'error', error: { type, message }, request_id: requestId })
}
