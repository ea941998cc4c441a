use super::*;

fn reports(work: impl FnOnce(&mut Monitor<'_>)) -> Vec<(Option<f64>, f64)> {
    let mut seen = Vec::new();
    let mut monitor = Monitor::new(|progress: &Progress| {
        if let Progress::Search { cost, lower_bound } = *progress {
            seen.push((cost, lower_bound));
        }
        ControlFlow::Continue(())
    });
    work(&mut monitor);
    drop(monitor);
    seen
}

#[test]
fn children_pass_on_what_holds_for_the_whole() {
    let seen = reports(|monitor| {
        monitor.report().unwrap();
        monitor.found(9.0);
        monitor.proved(2.0);
        monitor.report().unwrap();
        let mut relaxed = monitor.relaxed();
        relaxed.found(4.0);
        relaxed.proved(3.0);
        relaxed.report().unwrap();
        drop(relaxed);
        let mut restricted = monitor.restricted().plus(0.5);
        restricted.found(8.0);
        restricted.proved(8.0);
        restricted.report().unwrap();
    });
    assert_eq!(seen, [(None, 0.0), (Some(9.0), 2.0), (Some(9.0), 3.0), (Some(8.5), 2.0)]);
}

#[test]
fn a_monitor_stops_the_work_of_its_children() {
    let mut monitor = Monitor::new(|_: &Progress| ControlFlow::Break(()));
    assert_eq!(monitor.part().relaxed().report(), Err(Halt::Interrupted));
    let mut monitor = Monitor::default().time_limit(Duration::ZERO).time_limit(Duration::from_secs(9));
    assert_eq!(monitor.report(), Err(Halt::TimeLimit));
    assert_eq!(monitor.part().spend(REPORT_EVERY), Err(Halt::TimeLimit));
    assert_eq!(monitor.part().spend(1), Ok(()));
}

#[test]
fn a_share_of_the_time_ends_before_the_rest() {
    let mut monitor = Monitor::default().time_limit(Duration::from_secs(1000));
    let all = monitor.deadline().unwrap();
    assert_eq!(monitor.share(1.0).deadline(), Some(all));
    let half = monitor.share(0.5).deadline().unwrap();
    assert!(half < all && half > Deadline::after(Duration::from_secs(400)).unwrap());
    assert_eq!(Monitor::default().share(0.5).deadline(), None);
    let mut ended = Monitor::default().time_limit(Duration::ZERO);
    assert_eq!(ended.share(0.5).report(), Err(Halt::TimeLimit));
}

#[test]
fn counted_reports_are_work() {
    let mut seen = Vec::new();
    let mut monitor = Monitor::new(|progress: &Progress| {
        seen.push(progress.clone());
        ControlFlow::Continue(())
    });
    let mut part = monitor.counting(REPORT_EVERY / 2);
    for iteration in 1..=5 {
        part.send(&Progress::Iteration {
            iteration,
            log_likelihood: 0.0,
            movement: 0.0,
            parameters: <[Vec<f64>; 3]>::default(),
        })
        .unwrap();
    }
    drop(part);
    drop(monitor);
    assert_eq!(seen, [Progress::Working, Progress::Working]);
}

#[test]
fn the_smaller_memory_limit_holds() {
    let mut monitor = Monitor::default().memory_limit(100).memory_limit(200);
    assert!(monitor.part().check_memory("a table", 101).is_err());
    assert!(monitor.check_memory("a table", 100).is_ok());
}

#[test]
fn a_cost_is_proven_to_the_tolerance() {
    let mut monitor = Monitor::default().tol(0.1);
    assert!(!monitor.is_proven());
    monitor.found(10.0);
    monitor.proved(8.9);
    assert!(!monitor.is_proven());
    monitor.proved(9.0);
    assert!(monitor.is_proven());
}

#[test]
fn assured_work_is_done_even_after_the_time_limit() {
    let mut monitor = Monitor::default().time_limit(Duration::ZERO);
    let work = Cell::new(REPORT_EVERY + 1);
    let mut part = monitor.assured(&work);
    assert_eq!(part.part().spend(REPORT_EVERY), Ok(()));
    assert_eq!(part.part().spend(REPORT_EVERY), Err(Halt::TimeLimit));
}
