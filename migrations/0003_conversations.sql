CREATE INDEX `sessions_recent` ON `sessions` (`key`,`updated_at`);--> statement-breakpoint
CREATE INDEX `turns_session` ON `turns` (`session_id`);