/** One call of the control API. */
export interface ControlAnswer {
  readonly status: number;
  readonly body: object;
}

export interface ControlRequest {
  /** Parts of the path, by the names that the route gives them (`/api/asks/:id/answer`). */
  readonly params: Readonly<Record<string, string>>;
  /** JSON, not yet looked at; undefined when there was none. */
  readonly body: unknown;
}

export interface ControlRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Over HTTP too without a sign-in; over the Unix socket everything is open to the owner. */
  readonly public: boolean;
  answer(request: ControlRequest): ControlAnswer | Promise<ControlAnswer>;
}
